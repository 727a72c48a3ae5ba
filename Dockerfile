# One image for all apps of Berth: /app/APP/main.js, main.cjs for the device plugin. `npm run image` builds the bundles first.
# new-kube-config.js is loaded only for a kubeconfig with a credential plugin.
#   --target kube-scheduler   the scheduler as the command kube-scheduler, as root, to replace the image in kubeadm's manifest
#   NODE  image with Node at /usr/local/bin/node and a shell
#   BASE  any image with glibc, no older than that of NODE
ARG NODE=node:26-trixie-slim
ARG BASE=gcr.io/distroless/cc-debian13:nonroot

# Node 26 wants libatomic, which hardly any base has, and the C++ runtime, which a slim one has not.
FROM ${NODE} AS node
RUN set -eu; mkdir -p /runtime/usr/local/bin; cp /usr/local/bin/node /runtime/usr/local/bin/; \
    ldd /usr/local/bin/node | awk '/libatomic|libstdc|libgcc_s/ {print $3}' | while read -r library; do \
      folder=/runtime$(dirname "$(readlink -f "$library")"); mkdir -p "$folder"; cp -L "$library" "$folder/"; \
    done

FROM ${NODE} AS apps
COPY apps/advertiser/dist/main.js /app/advertiser/
COPY apps/advertiser/dist/new-kube-config.js /app/advertiser/
COPY apps/authority/dist/main.js /app/authority/
COPY apps/authority/dist/new-kube-config.js /app/authority/
COPY apps/device-plugin/dist/main.cjs /app/device-plugin/
COPY apps/extender/dist/main.js /app/extender/
COPY apps/extender/dist/new-kube-config.js /app/extender/
COPY apps/kubectl-berth/dist/main.js /app/kubectl-berth/
COPY apps/scheduler/dist/main.js /app/scheduler/
COPY apps/scheduler/dist/new-kube-config.js /app/scheduler/
COPY apps/advertiser/dist/NOTICES.txt /app/advertiser/
COPY apps/authority/dist/NOTICES.txt /app/authority/
COPY apps/device-plugin/dist/NOTICES.txt /app/device-plugin/
COPY apps/extender/dist/NOTICES.txt /app/extender/
COPY apps/kubectl-berth/dist/NOTICES.txt /app/kubectl-berth/
COPY apps/scheduler/dist/NOTICES.txt /app/scheduler/
RUN set -eu; echo '{"type":"module"}' > /app/package.json; chmod -R a=rX /app; \
    printf '#!/usr/local/bin/node\nimport "/app/scheduler/main.js"\n' > /kube-scheduler; chmod 755 /kube-scheduler

FROM ${BASE} AS berth
COPY --from=node /runtime/usr /usr
COPY --from=apps /app /app
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production
WORKDIR /app
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["/app/kubectl-berth/main.js", "--help"]
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title=berth \
      org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.description="Extended resources for Kubernetes, end to end"

# kubeadm's manifest runs `kube-scheduler` as root, because /etc/kubernetes/scheduler.conf has mode 0600.
FROM berth AS kube-scheduler
COPY --from=apps /kube-scheduler /usr/local/bin/kube-scheduler
USER 0:0
ENTRYPOINT ["kube-scheduler"]
CMD []

# The last stage is what a build without --target makes.
FROM berth
