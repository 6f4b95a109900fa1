# Two images: --target tollbridge, the gateway, and --target tollbridge-sandbox, the stand-in for the
# payment service. Neither has a shell, and both run as 65532 on a read-only root. ./dev image builds
# and tries them; --target debug has the debug symbols of both, by build id, for a debugger.
ARG BASE=debian:trixie-slim
FROM ${BASE} AS build
WORKDIR /src/tollbridge
# What the build needs comes from ./dev setup, so first without the sources: it seldom changes.
COPY dev ./
COPY scripts scripts
COPY cmake/patches cmake/patches
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates python3 tzdata \
  && ./dev setup build
COPY . .
# A layer's files have another time each time: what the compiler is, ccache asks its content.
ENV CCACHE_COMPILERCHECK=content
ARG REVISION=unknown
RUN cmake --preset release -DTOLLBRIDGE_BUILD_TESTS=OFF "-DTOLLBRIDGE_REVISION=${REVISION}" \
  && cmake --build build/release --target tollbridge tollbridge-sandbox \
  && ./dev hardening \
  && deploy/image/root.sh build/release tollbridge /image/tollbridge \
  && deploy/image/root.sh build/release tollbridge-sandbox /image/tollbridge-sandbox

FROM scratch AS debug
COPY --from=build /image/debug /

FROM scratch AS base
USER 65532:65532
WORKDIR /
STOPSIGNAL SIGTERM

# Version and revision come after what they are of: a builder that keeps layers does not look at their values.
FROM base AS tollbridge-sandbox
COPY --from=build /image/tollbridge-sandbox /
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tollbridge-sandbox" \
  org.opencontainers.image.description="Stand-in for the payment service, to develop and test against" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
EXPOSE 8080
ENTRYPOINT ["/usr/bin/tollbridge-sandbox"]
CMD ["--listen", "0.0.0.0:8080"]

# The last one, so that it is what is built when no target is named.
FROM base AS tollbridge
COPY --from=build /image/tollbridge /
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tollbridge" \
  org.opencontainers.image.description="Gateway between internal systems and a payment service" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# gRPC, webhooks, metrics and probes.
EXPOSE 7440 7441 7442
ENTRYPOINT ["/usr/bin/tollbridge"]
CMD ["serve", "--config", "/etc/tollbridge/tollbridge.yaml"]
