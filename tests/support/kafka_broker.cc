#include "tests/support/kafka_broker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/scram_user.h"

namespace tollbridge::test {
namespace {

constexpr int kLogBytes = 1 << 20;
/// Three seconds where nothing else runs.
constexpr std::chrono::minutes kStartLimit{4};

/// Reads the log until the broker says that it serves.
void WaitUntilServing(int log_fd, std::string& log) {
  const auto end = std::chrono::steady_clock::now() + kStartLimit;
  std::array<char, 16384> buffer{};
  while (log.find("Kafka Server started") == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd waiting{.fd = log_fd, .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? ::poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error("Kafka did not get ready: " + log);
    const ssize_t got = ::read(log_fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw std::runtime_error("Kafka ended: " + log);
    }
    log.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void WaitFor(pid_t pid, int* status) {
  while (::waitpid(pid, status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

/// Written by the thread that reads a broker's log.
class KafkaBroker::KeptLog {
 public:
  void Open(const std::string& file) {
    const std::lock_guard lock(mutex_);
    file_.open(file, std::ios::app);
  }
  void Write(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (file_.is_open()) file_.write(text.data(), std::ssize(text)).flush();
  }

 private:
  std::mutex mutex_;
  std::ofstream file_;
};

void KafkaBroker::KeepLog(const std::string& file) { kept_log_->Open(file); }

KafkaBroker::KafkaBroker(Machine machine, std::chrono::milliseconds session)
    : machine_(machine), session_(session), kept_log_(std::make_shared<KeptLog>()) {
  MakeFolder();
  member_.voters = "1@127.0.0.1:" + std::to_string(member_.controller_port->port());
  Format();
  Start();
}

KafkaBroker::KafkaBroker(const KafkaMember& member, std::chrono::milliseconds session)
    : machine_(Machine::kQuick),
      session_(session),
      member_(member),
      kept_log_(std::make_shared<KeptLog>()) {
  MakeFolder();
  Format();
  Begin();
}

void KafkaBroker::MakeFolder() {
  const char* const libs = std::getenv("TOLLBRIDGE_KAFKA_LIBS");
  if (libs == nullptr || !std::filesystem::is_directory(libs)) {
    throw std::runtime_error(
        "TOLLBRIDGE_KAFKA_LIBS does not name a folder of Kafka's jars: run the test by ./dev test");
  }
  libs_ = libs;
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tollbridge-kafka-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

KafkaBroker::~KafkaBroker() {
  Stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

KafkaAddress KafkaBroker::address() const {
  return {.brokers = "127.0.0.1:" + std::to_string(port_.port()),
          .tls_brokers = "127.0.0.1:" + std::to_string(tls_port_.port()),
          .ca_file = certificates_.ca_file(),
          .certificate_file = certificates_.certificate_file(),
          .key_file = certificates_.key_file()};
}

void KafkaBroker::SetUser(const std::string& user,
                          const std::optional<std::string>& password) const {
  SetScramUser(address().brokers, user, password);
}

void KafkaBroker::Trust(const std::vector<std::string>& ca_files) const {
  std::ofstream trusted(folder_ + "/trusted.pem");
  for (const std::string& file : ca_files) trusted << std::ifstream(file).rdbuf();
}

void KafkaBroker::Format() {
  std::filesystem::remove_all(DataFolder());
  // It wants its key and its certificate in one file.
  std::ofstream(folder_ + "/key-store.pem")
      << std::ifstream(certificates_.key_file()).rdbuf()
      << std::ifstream(certificates_.certificate_file()).rdbuf();
  Trust({certificates_.ca_file()});
  const std::string addresses = "PLAINTEXT://" + address().brokers + ",SSL://" +
                                address().tls_brokers + ",SASL://" + sasl_brokers();
  const std::string controller = "127.0.0.1:" + std::to_string(member_.controller_port->port());
  const int copies = member_.members;
  const int in_sync = copies / 2 + 1;
  std::ofstream(folder_ + "/server.properties")
      << "process.roles=broker,controller\n"
      << "node.id=" << member_.node << "\n"
      << "controller.quorum.voters=" << member_.voters << "\n"
      << "controller.listener.names=CONTROLLER\n"
      << "listeners=" << addresses << ",CONTROLLER://" << controller << "\n"
      << "advertised.listeners=" << addresses << "\n"
      << "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SSL:SSL,SASL:SASL_PLAINTEXT,"
         "CONTROLLER:PLAINTEXT\n"
      << "sasl.enabled.mechanisms=SCRAM-SHA-256\n"
      << "listener.name.sasl.scram-sha-256.sasl.jaas.config="
         "org.apache.kafka.common.security.scram.ScramLoginModule required;\n"
      << "ssl.keystore.type=PEM\n"
      << "ssl.keystore.location=" << folder_ << "/key-store.pem\n"
      << "ssl.truststore.type=PEM\n"
      << "ssl.truststore.location=" << folder_ << "/trusted.pem\n"
      << "ssl.client.auth=required\n"
      << "log.dirs=" << DataFolder() << "\n"
      << "auto.create.topics.enable=false\n"
      << "min.insync.replicas=" << in_sync << "\n"
      << "unclean.leader.election.enable=false\n"
      << "leader.imbalance.check.interval.seconds=3\n"
      << "leader.imbalance.per.broker.percentage=0\n"
      << "offsets.topic.replication.factor=" << copies << "\n"
      << "offsets.topic.num.partitions=1\n"
      << "transaction.state.log.replication.factor=" << copies << "\n"
      << "transaction.state.log.min.isr=" << in_sync << "\n"
      << "share.coordinator.state.topic.replication.factor=" << copies << "\n"
      << "share.coordinator.state.topic.min.isr=" << in_sync << "\n"
      << "group.initial.rebalance.delay.ms=0\n"
      << "group.min.session.timeout.ms=1000\n"
      << "broker.session.timeout.ms=" << session_.count() << "\n"
      << "broker.heartbeat.interval.ms=300\n";
  const int log =
      ::open((folder_ + "/format.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t format =
      Run("kafka.tools.StorageTool format -t AAAAAAAAQACAAAAAAAAAAQ -c server.properties", log);
  ::close(log);
  int status = 0;
  WaitFor(format, &status);
  if (status != 0) {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/format.log").rdbuf();
    throw std::runtime_error("Kafka's storage could not be formatted: " + text.str());
  }
}

pid_t KafkaBroker::Run(const std::string& arguments, int output_fd) {
  std::vector<std::string> command = {"java"};
  if (machine_ == Machine::kQuick) {
    const std::string heap = member_.members > 1 ? "-Xmx384m" : "-Xmx512m";
    command.insert(command.end(), {heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"});
  } else {
    command.insert(command.end(),
                   {"-Xms1g", "-Xmx1g", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                    "-XX:InitiatingHeapOccupancyPercent=35"});
  }
  command.insert(command.end(),
                 {"-Dorg.slf4j.simpleLogger.logFile=System.out", "-cp", libs_ + "/*"});
  std::istringstream words(arguments);
  for (std::string word; words >> word;) command.push_back(word);
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& part : command) argv.push_back(part.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::getppid() != parent || ::chdir(folder_.c_str()) != 0) ::_exit(1);
    ::dup2(output_fd, STDOUT_FILENO);
    ::dup2(output_fd, STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

std::string KafkaBroker::DataFolder() const {
  return member_.data_folder.empty() ? folder_ + "/data" : member_.data_folder;
}

void KafkaBroker::Begin() {
  std::array<int, 2> log{};
  if (::pipe2(log.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = Run("kafka.Kafka server.properties", log[1]);
  ::close(log[1]);
  log_ = log[0];
  // What a member writes until its turn to be read comes must not hold it up.
  ::fcntl(log_, F_SETPIPE_SZ, kLogBytes);
}

void KafkaBroker::AwaitServing() {
  try {
    std::string log;
    WaitUntilServing(log_, log);
    kept_log_->Write(log);
  } catch (...) {
    Stop();
    throw;
  }
  // Its log must be read as long as it lives, else it would stand still when the pipe is full.
  log_reader_ = std::thread([fd = std::exchange(log_, -1), kept = kept_log_] {
    std::array<char, 16384> buffer{};
    while (true) {
      const ssize_t got = ::read(fd, buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EINTR)) break;
      if (got > 0) kept->Write({buffer.data(), static_cast<std::size_t>(got)});
    }
    ::close(fd);
  });
}

void KafkaBroker::Stop() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    WaitFor(pid_, nullptr);
    pid_ = -1;
  }
  if (log_reader_.joinable()) log_reader_.join();
  if (log_ >= 0) ::close(std::exchange(log_, -1));
}

void KafkaBroker::ShutDown() {
  constexpr std::chrono::seconds kLongest{60};
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  siginfo_t ended{};
  Eventually(
      [&] {
        return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               ended.si_pid == pid_;
      },
      kLongest);
  Stop();
}

void KafkaBroker::Start() {
  Stop();
  Begin();
  AwaitServing();
}

void KafkaBroker::Pause() {
  if (pid_ > 0) PauseProcess(pid_);
}

void KafkaBroker::Resume() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

}  // namespace tollbridge::test
