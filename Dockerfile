# The office as an image: one static program, no shell, no root.
# Listening on a network address requires TLS or an explicit setting: docs/install.md.
ARG GO_VERSION=1.26

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION}-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=dev COMMIT=
# The same flags as packaging/release, so the program is byte-identical.
RUN CGO_ENABLED=0 GOFLAGS= GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION#v} -X main.commit=${COMMIT}" -o /out/bullpen ./cmd/bullpen \
 && mkdir -m 0700 /out/data

FROM gcr.io/distroless/static-debian12:nonroot
LABEL org.opencontainers.image.title="Bullpen" \
      org.opencontainers.image.description="A living office for AI agents" \
      org.opencontainers.image.source="https://github.com/bullpen-office/bullpen" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/bullpen /usr/bin/bullpen
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV BULLPEN_ADDR=0.0.0.0:4777 BULLPEN_DATA_DIR=/data BULLPEN_CLAUDE_DIR=off BULLPEN_LOG_FORMAT=json
VOLUME /data
EXPOSE 4777
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/usr/bin/bullpen", "status"]
ENTRYPOINT ["/usr/bin/bullpen"]
CMD ["serve"]
