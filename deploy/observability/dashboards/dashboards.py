"""Grafana dashboards of Tollbridge: Money, Traffic, Pipeline. `./dev dashboards` writes their JSON from here.

    dashboards.py FOLDER

What is counted for the whole store comes from each process with the role rpc: `max`, never `sum`.
"""

import json
import pathlib
import sys

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.builders import prometheus, stat, timeseries
from grafana_foundation_sdk.builders.common import ReduceDataOptions, StackingConfig, VizLegendOptions
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement, StackingMode
from grafana_foundation_sdk.models.dashboard import (
    Dashboard,
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    Threshold,
    ThresholdsMode,
    VariableOption,
    VariableRefresh,
    VariableSort,
)

# Where the runbook pages are kept; a variable of each dashboard, as in the rules.
RUNBOOKS = "https://runbooks.example/tollbridge"
TAG = "tollbridge"
SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
# Codes with which the gateway says that it did not do its work (kServerFaults).
# The failures of the objective for calls, as tollbridge:calls_failed:* has them.
BLAMED, COUNTED = 'blame=~"store|us"', 'reason!~"STORE_DOUBTFUL|MEMORY_LOST"'
# grpc_server_* are names that other services use too.
OURS = 'grpc_service=~"tollbridge[.].+"'


def of(metric: str, *labels: str) -> str:
    """The metric's series of the chosen processes, with further label matchers."""
    return metric + "{" + ", ".join([*labels, 'instance=~"$instance"']) + "}"


def rate(metric: str, *labels: str, by: str = "") -> str:
    total = f"sum by ({by}) " if by else "sum"
    return f"{total}(rate({of(metric, *labels)}[$__rate_interval]))"


def increase(metric: str, *labels: str, by: str = "") -> str:
    total = f"sum by ({by}) " if by else "sum"
    return f"{total}(increase({of(metric, *labels)}[$__rate_interval]))"


def most(metric: str, *labels: str, by: str = "") -> str:
    return (f"max by ({by}) " if by else "max") + f"({of(metric, *labels)})"


def quantile(share: float, metric: str, *labels: str, by: str = "") -> str:
    group = ", ".join(filter(None, ["le", by]))
    buckets = f"sum by ({group}) (rate({of(metric + '_bucket', *labels)}[$__rate_interval]))"
    return f"histogram_quantile({share}, {buckets})"


def quantiles(metric: str, *labels: str) -> list[tuple[str, str]]:
    return [(quantile(share, metric, *labels), name) for share, name in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")]]


class Page:
    """A dashboard under construction: rows of panels, each with its query, unit, description and runbook."""

    def __init__(self, uid: str, title: str, description: str, since: str):
        self.builder = (
            build.Dashboard(f"Tollbridge: {title}")
            .uid(uid)
            .description(description)
            .tags([TAG])
            .readonly()
            .tooltip(DashboardCursorSync.CROSSHAIR)
            .time(since, "now")
            .refresh("30s")
            .timezone("browser")
            .link(
                build.DashboardLink("Tollbridge")
                .type(DashboardLinkType.DASHBOARDS)
                .tags([TAG])
                .as_dropdown(True)
                .include_vars(True)
                .keep_time(True)
            )
            .with_variable(build.DatasourceVariable("datasource").label("Data source").type("prometheus"))
            .with_variable(self.choice("role", "Role", "label_values(tollbridge_role, role)"))
            .with_variable(
                self.choice("instance", "Instance", 'label_values(tollbridge_role{role=~"$role"}, instance)')
            )
            .with_variable(build.ConstantVariable("runbooks").label("Runbooks").value(RUNBOOKS))
        )
        self.panels = 0

    @staticmethod
    def choice(name: str, label: str, query: str) -> build.QueryVariable:
        """Several of the values that a query finds; all of them at first."""
        return (
            build.QueryVariable(name)
            .label(label)
            .datasource(SOURCE)
            .query(query)
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .sort(VariableSort.ALPHABETICAL_ASC)
            .multi(True)
            .include_all(True)
            .current(VariableOption(selected=True, text=["All"], value=["$__all"]))
        )

    def row(self, title: str) -> "Page":
        self.panels += 1
        self.builder.with_row(build.Row(title).id(self.panels))
        return self

    def number(self, title: str, expression: str, unit: str, description: str, runbook: str = "",
               bad_from: float | None = None) -> "Page":
        """The value now; red from `bad_from` on."""
        steps = [Threshold(color="green")]
        if bad_from is not None:
            steps.append(Threshold(value=bad_from, color="red"))
        panel = (
            stat.Panel()
            .thresholds(build.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
            .reduce_options(ReduceDataOptions().calcs(["lastNotNull"]).values(False))
            .no_value("not known")
            .span(6)
            .height(4)
        )
        return self.add(panel, title, [(expression, "")], unit, description, runbook)

    def lines(self, title: str, queries: list[tuple[str, str]], unit: str, description: str, runbook: str = "",
              stacked: bool = False, span: int = 12) -> "Page":
        """Queries over time, each with its legend."""
        panel = (
            timeseries.Panel()
            .min(0)
            .fill_opacity(10)
            .legend(
                VizLegendOptions()
                .display_mode(LegendDisplayMode.TABLE)
                .placement(LegendPlacement.BOTTOM)
                .show_legend(True)
                .calcs(["lastNotNull", "max"])
            )
            .span(span)
            .height(8)
        )
        if stacked:
            panel = panel.stacking(StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(30)
        return self.add(panel, title, queries, unit, description, runbook)

    def add(self, panel, title: str, queries: list[tuple[str, str]], unit: str, description: str,
            runbook: str) -> "Page":
        self.panels += 1
        panel = panel.id(self.panels).title(title).description(description).unit(unit).datasource(SOURCE)
        for number, (expression, legend) in enumerate(queries):
            query = prometheus.Dataquery().expr(expression).datasource(SOURCE).ref_id(chr(ord("A") + number)).range()
            panel = panel.with_target(query.legend_format(legend) if legend else query)
        if runbook:
            link = build.DashboardLink("Runbook").type(DashboardLinkType.LINK).url("${runbooks}/" + runbook)
            panel = panel.links([link.target_blank(True)])
        self.builder.with_panel(panel)
        return self

    def finish(self) -> Dashboard:
        return self.builder.build()


def money() -> Dashboard:
    unresolved, review, orphan = "unresolved-operations.md", "needs-review.md", "orphan-paid.md"
    operations = "tollbridge_operations_total"
    page = Page("tollbridge-money", "Money",
                "What became of mutations, what waits for an outcome or a person, and what events tell of payments.",
                "now-24h")
    page.row("Now")
    page.number("Mutations", rate(operations, 'state="running"'), "reqps", "Durable operations that began.")
    page.number("Outcome not known",
                rate(operations, 'state="unknown"') + " / " + rate(operations, 'state="running"'), "percentunit",
                "Share of the mutations whose call ended without a known outcome. The objective allows 0.1 %.",
                unresolved, bad_from=0.001)
    page.number("Oldest without an outcome", most("tollbridge_oldest_unresolved_operation_seconds", 'state="unknown"'), "s",
                "Age of the oldest operation in UNKNOWN. Not known while Redis is away.",
                unresolved, bad_from=600)
    page.number("Wait for a person", "sum(" + most("tollbridge_operations_needs_review", by="project, reason") + ")", "short",
                "Operations and review records that somebody is to decide.", review, bad_from=1)
    page.row("Mutations")
    page.lines("Begun, by RPC", [(rate(operations, 'state="running"', by="rpc"), "{{rpc}}")], "reqps",
               "Durable operations that began.", stacked=True)
    page.lines("What they became", [(rate(operations, 'state!="running"', by="state"), "{{state}}")], "ops",
               "Durable operations by the state that they entered; one that was unknown enters another one later.",
               unresolved)
    page.lines("Answered from a stored outcome", [(rate("tollbridge_operations_replayed_total", by="rpc"), "{{rpc}}")],
               "reqps", "Calls with a key whose outcome was there. Many: callers lose answers.")
    page.lines("Limits of money", [(increase("tollbridge_money_limited_total", by="kind, measure"), "{{kind}}, {{measure}}")],
               "short", "Refunds and payouts that were not sent, since the day had no more left for them.")
    page.lines("Looks of the resolver", [(rate("tollbridge_resolver_results_total", by="result"), "{{result}}")], "ops",
               "What the evidence of operations showed, and what they became by it. Only undecided: it cannot be read.",
               unresolved)
    page.lines("Time to settle, 99 of 100",
               [(quantile(0.99, "tollbridge_operation_settled_seconds", by="how"), "{{how}}")], "s",
               "From when an operation was sent until its outcome was recorded, by what showed it.", unresolved)
    page.row("What waits")
    page.lines("Without an outcome", [(most("tollbridge_operations_unresolved", by="project, state"), "{{project}}: {{state}}")], "short",
               "Operations under way, and those whose outcome is not known yet. A gap: Redis was away.", unresolved)
    page.lines("Wait for a person", [(most("tollbridge_operations_needs_review", by="project, reason"), "{{project}}: {{reason}}")], "short",
               "Operations and review records, by what somebody is to decide.", review, stacked=True)
    page.lines("Ages", [(most("tollbridge_oldest_unresolved_operation_seconds", by="state"), "oldest in {{state}}"),
                        (most("tollbridge_oldest_undrained_operation_record_seconds"), "oldest undrained transition")],
               "s", "Of the oldest operation without an outcome, and of the oldest transition that is not on Kafka.",
               unresolved)
    page.lines("Late effects and orphans",
               [(increase("tollbridge_late_effects_total", by="rpc"), "late effect {{rpc}}"),
                (increase("tollbridge_orphans_total", by="kind"), "orphan, {{kind}}")], "short",
               "Effects that came after they had been given up, and orders that are no operation's outcome.", orphan)
    events = "tollbridge_events_published_total"
    page.row("What events tell")
    ended = rate(events, 'kind="payment"', 'what=~"completed|failed"')
    page.lines("Payments that succeed",
               [(rate(events, 'kind="payment"', 'what="completed"') + f" / {ended}", "completed of completed and failed")],
               "percentunit", "Of the payments that ended, those that were paid. A fall is often one issuer or one shop.")
    page.lines("Payments", [(rate(events, 'kind="payment"', by="what"), "{{what}}")], "ops",
               "Events of payments, by what happened.")
    page.lines("Everything else that ended", [(rate(events, 'kind!="payment"', 'what="completed"', by="kind"), "{{kind}}")],
               "ops", "Completed captures, voids, refunds, payouts, chargebacks and so on.")
    page.lines("What failed", [(rate(events, 'kind!="payment"', 'what=~"failed|needs_review"', by="kind, what"),
                                "{{kind}} {{what}}")], "ops", "Events of failures, those of payments left out.")
    return page.finish()


def traffic() -> Dashboard:
    fail, breaker, store = "calls-fail.md", "breaker-open.md", "store-away.md"
    handled = "grpc_server_handled_total"
    page = Page("tollbridge-traffic", "Traffic",
                "Calls to the gateway, its calls to the payment service and to Redis: how many, how many fail, how long.",
                "now-3h")
    page.row("Now")
    page.number("Calls", rate(handled, OURS), "reqps", "Calls that ended.")
    page.number("Calls that fail", rate("tollbridge_rpc_failures_total", BLAMED, COUNTED) + " / " + rate(handled, OURS),
                "percentunit", "Share of the calls whose failure we or the store are to blame for, those left out that "
                "a doubt refuses. The objective allows 0.05 %.", fail, bad_from=0.0005)
    page.number("Breakers not closed", "sum(" + of("tollbridge_outbound_breakers_open") + ")", "short",
                "Above 0 the payment service, or one of its hosts, is taken to be away.", breaker, bad_from=1)
    page.number("Budget burnt", "tollbridge:calls_failed:ratio_rate1h / 0.0005", "none",
                "How many times as fast as the objective allows calls failed in the last hour, over all processes.",
                fail, bad_from=14.4)
    page.row("Calls")
    page.lines("By method", [(rate(handled, OURS, by="grpc_method"), "{{grpc_method}}")], "reqps", "Calls that ended.",
               stacked=True)
    page.lines("By code, those with OK left out", [(rate(handled, OURS, 'grpc_code!="OK"', by="grpc_code"), "{{grpc_code}}")],
               "reqps", "What callers were refused for, and what the gateway did not do.", fail)
    page.lines("How long", quantiles("grpc_server_handling_seconds", OURS), "s",
               "From the request to the status, streams among them.")
    page.lines("How long, 99 of 100, by method",
               [(quantile(0.99, "grpc_server_handling_seconds", OURS, by="grpc_method"), "{{grpc_method}}")], "s",
               "From the request to the status.")
    page.lines("Own time, by method",
               [("tollbridge:rpc_own_seconds:p99_rate5m", "99 of 100, all processes"),
                (quantile(0.99, "tollbridge_rpc_own_seconds", OURS, by="grpc_method"), "99 of 100, {{grpc_method}}")], "s",
               "From the request to the status, less what the payment service took; without streams. The objective: 25 ms.",
               "calls-fail.md")
    page.lines("Calls slower than the objective",
               [("tollbridge:calls_slow:ratio_rate1h", "slower than 25 ms")], "percentunit",
               "Share of the calls of the last hour, over all processes, whose own time is more than 25 ms. The objective: 1 %.",
               "calls-fail.md")
    page.lines("Begun and not ended", [(rate("grpc_server_started_total", OURS) + " - " + rate(handled, OURS), "difference")],
               "reqps", "Above 0 for long: calls pile up, or streams are opened.")
    page.lines("Under way, by shard",
               [("sum by (instance, shard) (" + of("tollbridge_rpc_in_flight") + ")", "{{instance}}, shard {{shard}}")], "short",
               "Calls that began and have not ended, streams among them. One shard far above the others: long streams.")
    page.lines("Failures, by reason and who is to blame",
               [(rate("tollbridge_rpc_failures_total", by="reason, blame"), "{{reason}}: {{blame}}")], "reqps",
               "caller: a request that can only fail, or a caller who left or gave no time. store: Redis is away, in "
               "doubt or full.", fail)
    page.lines("Refused callers",
               [(increase("tollbridge_rpc_refused_callers_total", by="grpc_method, reason"), "{{grpc_method}} {{reason}}"),
                (increase("grpc_server_unparsable_total", OURS, by="grpc_method"), "{{grpc_method}} unparsable"),
                (increase("tollbridge_rpc_refusals_unrecorded_total", by="cause"), "without a record, {{cause}}")], "short",
               "Calls of callers that may not, and requests that are no message. Without a record: bound, more of a caller "
               "than are recorded; full, nobody drains them; store, Redis was away.")
    page.lines("Callers at their limits", [(increase("tollbridge_rpc_caller_limited_total", by="limit"), "{{limit}}")], "short",
               "Calls of a caller that had its fill; the log says who.")
    page.lines("Refused at the port", [(increase("tollbridge_rpc_wire_refusals_total", by="cause"), "{{cause}}")], "short",
               "Connections and requests that took more than they may, or were none of the protocol. They are in no other panel.")
    page.lines("Open connections", [("sum(" + of("tollbridge_rpc_connections") + ")", "connections")], "short",
               "Of the gRPC port, over all processes.")
    page.lines("Held for callers", [("sum(" + of("tollbridge_rpc_held_bytes") + ")", "requests"),
                                    ("sum(" + of("tollbridge_rpc_unsent_bytes") + ")", "answers")], "bytes",
               "Bytes of requests that are not there in whole, and of answers that are not taken.")
    exchanges = "tollbridge_outbound_exchanges_total"
    page.row("The payment service")
    page.lines("Exchanges, by outcome", [(rate(exchanges, by="outcome"), "{{outcome}}")], "reqps",
               "refused: any status that is not 2xx. not_sent: no byte left. held_back: turned away by ourselves.", breaker)
    page.lines("Without an answer, by operation",
               [(rate(exchanges, 'outcome=~"unknown|not_sent"', by="operation"), "{{operation}}")], "reqps",
               "Exchanges that were not sent, or whose fate is not known.", breaker)
    page.lines("How long, 95 of 100, by operation",
               [(quantile(0.95, "tollbridge_outbound_seconds", by="operation"), "{{operation}}")], "s",
               "Of one HTTP attempt.")
    page.lines("Answers, by class of status",
               [(rate("tollbridge_outbound_answers_total", by="status_class"), "{{status_class}}")], "reqps",
               "5xx: the payment service fails. 4xx: it refuses what it is asked.", breaker)
    page.lines("Wait for a connection, 99 of 100",
               [(quantile(0.99, "tollbridge_outbound_pool_wait_seconds", by="origin"), "wait, {{origin}}"),
                (quantile(0.99, "tollbridge_outbound_connect_seconds", by="origin"), "connect, {{origin}}")], "s",
               "wait: for a free one of the pool. connect: to resolve, connect and shake hands.", breaker)
    page.lines("Retries and what was held back",
               [(rate("tollbridge_outbound_retries_total"), "retries"),
                (rate("tollbridge_outbound_retries_denied_total"), "retries denied, the budget was spent"),
                (rate("tollbridge_outbound_held_back_total", by="by"), "held back by {{by}}")], "reqps",
               "Attempts after the first, and those that our own links did not let through.", breaker)
    page.lines("Connections", [("sum by (state) (" + of("tollbridge_pool_connections") + ")", "{{state}}"),
                               ("sum(" + of("tollbridge_outbound_in_flight") + ")", "exchanges under way")], "short",
               "waiting: calls that wait for a connection.")
    page.lines("Breakers", [("sum by (instance) (" + of("tollbridge_outbound_breakers_open") + ")", "not closed, {{instance}}"),
                            (increase("tollbridge_outbound_breaker_opened_total"), "opened")], "short",
               "Each shard of a process has one for each host.", breaker)
    page.row("Projects")
    page.lines("Mutations, by project",
               [(rate("tollbridge_operations_total", 'state="running"', by="project"), "{{project}}"),
                (rate("tollbridge_operations_total", 'state=~"unknown|needs_review"', by="project, state"),
                 "{{project}}: {{state}}")], "ops",
               "Operations that began, and those whose outcome the call did not tell.", "unresolved-operations.md")
    page.lines("Exchanges, by project", [(rate(exchanges, by="project, outcome"), "{{project}}: {{outcome}}")], "reqps",
               "With the payment service, by what is known of them.", breaker)
    page.lines("Webhooks, by project", [(rate("tollbridge_webhooks_total", by="project, result"), "{{project}}: {{result}}")],
               "reqps", "other: without a token of a project.", "events-late.md")
    page.lines("Reads of orders, by project", [(rate("tollbridge_reads_total", by="project, result"), "{{project}}: {{result}}")],
               "ops", "For events. over_budget: the project's reads are spent.", "events-late.md")
    page.row("Redis and the processes")
    page.lines("Commands to Redis", [(rate("tollbridge_redis_commands_total", by="store, result"), "{{store}}: {{result}}")], "ops",
               "A few of error after a start are normal: scripts that Redis does not have yet.", store)
    page.lines("Redis, 99 of 100, by script",
               [(quantile(0.99, "tollbridge_redis_seconds", by="store, script"), "{{store}}: {{script}}")], "s",
               "As who runs it waits for it, replicas included. claim and finish are on the way of each mutation. other: "
               "plain commands.", "store-slow.md")
    page.lines("Connections lost, replicas missing",
               [(increase("tollbridge_redis_reconnects_total", by="store, instance"), "made again, {{store}}, {{instance}}"),
                (increase("tollbridge_redis_replicas_missing_total", by="store"), "too few replicas, {{store}}")], "short",
               "Connections to Redis that were lost and made again, those left out that a rotation renews, and claims "
               "that fewer replicas have than redis.min_replicas: they are refused.", store)
    page.lines("Stores that answer", [("min by (store) (" + of("tollbridge_store_ready") + ")", "{{store}}")], "short",
               "1: every process reaches it. Mutations of its projects are refused where it is 0.", store)
    page.lines("Memory of Redis", [(most("tollbridge_store_memory_used_ratio", by="store"), "{{store}}")], "percentunit",
               "Of maxmemory. A store that is full refuses each mutation. Nothing is shown of one that has no bound.", "store-full.md")
    page.lines("Doubt", [(most("tollbridge_store_doubt_seconds", by="project"), "{{project}}")], "s",
               "For how long yet the store may have forgotten operations of the project.", "store-doubtful.md")
    page.lines("Why a doubt began", [(increase("tollbridge_store_epoch_changes_total", by="store, cause"), "{{store}}: {{cause}}")],
               "short", "As the first process saw it that came by.", "store-doubtful.md")
    page.lines("Log lines", [(rate("tollbridge_log_lines_total", 'severity=~"warning|error"', by="severity"), "{{severity}}"),
                             (rate("tollbridge_log_lines_dropped_total"), "dropped")], "short",
               "Lines a second. dropped: standard output does not take them fast enough.")
    page.lines("Shards", [(most("tollbridge_shard_lag_seconds", by="instance, shard"), "{{instance}}, shard {{shard}}")], "s",
               "How long a shard took to come to what it was given. Above a second: it is stuck, or has too little CPU.")
    page.lines("Memory", [("sum by (instance) (" + of("process_resident_memory_bytes") + ")", "{{instance}}")], "bytes",
               "In RAM.")
    page.lines("CPU", [(rate("process_cpu_seconds_total", by="instance"), "{{instance}}")], "short",
               "Cores in use. At the number of shards there is no more.")
    page.lines("File descriptors", [("max by (instance) (" + of("process_open_fds") + " / " + of("process_max_fds") + ")",
                                     "{{instance}}")], "percentunit", "Open ones, of those that may be.")
    page.lines("Spans and secrets", [(increase("tollbridge_spans_dropped_total"), "spans that the collector did not take"),
                                     (increase("tollbridge_secret_file_read_failures_total", by="what"), "{{what}}: not usable")],
               "short", "What was there before, of a secret or a rule of access, stays in force.", "secret-file-unusable.md")
    page.lines("Processes, by role", [("count by (role) (" + of("tollbridge_role") + ")", "{{role}}")], "short",
               "Processes that have each role.", "role-missing.md")
    page.lines("Processes, by version", [("count by (version) (" + of("tollbridge_build_info") + ")", "{{version}}")], "short",
               "More than one for long: an update has stopped half way.")
    return page.finish()


def pipeline() -> Dashboard:
    late, sweep, letters = "events-late.md", "sweep-stale.md", "dead-letters.md"
    page = Page("tollbridge-pipeline", "Pipeline",
                "From a webhook, the due queue or the sweep to the event on Kafka.", "now-6h")
    age = "time() - max by (project) (" + of("tollbridge_sweep_ended_timestamp_seconds") + ")"
    page.row("Now")
    page.number("Events", rate("tollbridge_events_published_total"), "ops", "Events that Kafka has acknowledged.")
    page.number("Oldest hint", most("tollbridge_hints_oldest_seconds"), "s",
                "Age of the oldest hint that was taken and is not finished.", late, bad_from=300)
    page.number("Most overdue order", most("tollbridge_due_orders_oldest_seconds"), "s",
                "How long an order has been due and not read. Not known while Redis is away.", late, bad_from=300)
    page.number("Oldest outbox", most("tollbridge_outboxes_oldest_seconds"), "s",
                "Decided events that are not known to be published. Not known while Redis is away.", late, bad_from=300)
    page.number("Since the last sweep", f"max({age})", "s", "Of the project whose last pass is the longest ago.", sweep,
                bad_from=1800)
    page.row("Webhooks")
    page.lines("By result", [(rate("tollbridge_webhooks_total", by="result"), "{{result}}")], "reqps",
               "accepted: the hint is on Kafka. unavailable, overloaded: the payment service sends it again.", late)
    page.lines("From a webhook to its event", quantiles("tollbridge_webhook_to_event_seconds"), "s",
               "Until the broker's acknowledgement. Events that had no webhook do not show here.", late)
    page.lines("Until a webhook is answered, 99 of 100",
               [(quantile(0.99, "tollbridge_webhook_seconds", by="result"), "{{result}}")], "s",
               "The payment service waits for 3 s, and sends it again.", late)
    page.lines("From a change to its event, 99 of 100",
               [(quantile(0.99, "tollbridge_change_to_event_seconds", by="source"), "{{source}}")], "s",
               "Until the broker's acknowledgement, by who told of the change first, webhooks that were lost included.", late)
    page.lines("Connections shed", [(increase("tollbridge_webhook_connections_shed_total"), "shed")], "short",
               "Connections of the ingress that were closed for others while they waited for their peer.")
    page.row("Hints and reads")
    page.lines("Hints, by source", [(rate("tollbridge_hints_total", by="source"), "{{source}}")], "ops",
               "Many of sweep beside few of webhook: webhooks are lost.", late)
    page.lines("Reads, by result", [(rate("tollbridge_reads_total", by="result"), "{{result}}")], "ops",
               "The guide for operators says what each result means.", late)
    page.lines("Events", [(rate("tollbridge_events_published_total", by="kind"), "{{kind}}")], "ops",
               "Events that Kafka has acknowledged.", stacked=True)
    page.lines("Events not taken", [(increase("tollbridge_events_refused_total", by="cause"), "{{cause}}")], "short",
               "Tries to publish an event that the topic does not take: its family waits.", late)
    page.lines("What is oldest", [(most("tollbridge_hints_oldest_seconds", by="instance"), "hint, {{instance}}"),
                                  (most("tollbridge_due_orders_oldest_seconds"), "order that is due")], "s",
               "A hint that is not finished, and an order that is due and not read.", late)
    page.lines("Outboxes pending, by project", [("max by (project) (" + of("tollbridge_outboxes_pending") + ")", "{{project}}")],
               "short", "Families whose decided events are not known to be published. A few come and go.", late)
    page.lines("Heartbeats", [(rate("tollbridge_heartbeats_total", by="result"), "{{result}}")], "ops",
               "Of each partition of events, one an interval. None: no reader owns the first partition of hints.", late)
    page.lines("Dead letters", [(increase("tollbridge_hints_dead_lettered_total", by="cause"), "{{cause}}"),
                                (increase("tollbridge_hints_unknown_project_total", by="source"),
                                 "passed over, of {{source}}")], "short",
               "Hints that nobody can use. Passed over: of a project that the reader does not have; they come again.", letters)
    page.row("Kafka")
    page.lines("Hints not taken yet", [("sum by (partition) (" + of("tollbridge_kafka_consumer_lag") + ")", "{{partition}}")],
               "short", "By partition, of its reader. A gap: the group shares them out anew, or nobody has it.",
               "hints-pile-up.md", stacked=True)
    page.lines("Partitions of hints", [("sum by (instance) (" + of("tollbridge_kafka_assigned_partitions") + ")", "{{instance}}"),
                                       (increase("tollbridge_kafka_rebalances_total"), "given anew")], "short",
               "All readers together have all that there are. Given anew all the time: readers come and go, or are taken for dead.",
               "hints-pile-up.md")
    page.lines("Until Kafka acknowledges, 99 of 100",
               [(quantile(0.99, "tollbridge_kafka_produce_seconds", by="purpose"), "{{purpose}}")], "s",
               "By all replicas in sync, the wait for other records of the ingress included.", "produce-fails.md")
    page.lines("Not acknowledged", [(rate("tollbridge_kafka_produce_failures_total", by="purpose, reason"), "{{purpose}}: {{reason}}")],
               "ops", "late: not by the deadline. unavailable: no broker takes it. not_open: the topics were not looked at yet. "
               "too_large, refused: the topic does not take such records.", "produce-fails.md")
    page.row("Reconciliation")
    page.lines("Since the last sweep, by project", [(age, "{{project}}")], "s",
               "A gap: Redis was away, or no pass has come to its end yet.", sweep)
    page.lines("Orders that the sweep found", [(rate("tollbridge_sweep_orders_total", by="result"), "{{result}}")], "ops",
               "hinted: to be read, since no snapshot shows the same.", sweep)
    page.lines("Sweeps that failed", [(increase("tollbridge_sweep_failures_total"), "failures")], "short",
               "Passes that stopped at an error, and go on where they were.", sweep)
    page.lines("Orders that searches pass over", [(increase("tollbridge_unreadable_orders_total", by="cause"), "{{cause}}")], "short",
               "They cannot be read; the log names them.", sweep)
    page.lines("Records on the topic of operations",
               [(rate("tollbridge_operation_records_total"), "transitions"),
                (rate("tollbridge_refused_call_records_total"), "refused calls")], "ops",
               "Confirmed by the broker; repeats are counted again.", "unresolved-operations.md")
    return page.finish()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    for name, made in [("money", money()), ("traffic", traffic()), ("pipeline", pipeline())]:
        text = json.dumps(made, cls=JSONEncoder, indent=2, sort_keys=True)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
