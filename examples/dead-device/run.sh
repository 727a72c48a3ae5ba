#!/bin/sh
# Shows in kind how a pod leaves a device that dies, and runs on another node:
#   IMAGE=berth:0.1.0 examples/dead-device/run.sh
# It needs a kind cluster of Kubernetes 1.36 with two workers that have the image of Berth (npm run image, kind load docker-image),
# kubectl with that cluster as its context, and Helm. It leaves the release berth in berth-system and the Deployment radio-user.
set -eu
cd "$(dirname "$0")/../.."
: "${IMAGE:?name the image of Berth: IMAGE=REPOSITORY:TAG}"
ENGINE=${ENGINE:-docker} HELM=${HELM:-helm} FILE=/var/lib/berth-example/radio-1

workers=$(kubectl get nodes --selector '!node-role.kubernetes.io/control-plane' --output 'jsonpath={.items[*].metadata.name}')
for worker in $workers; do
  "$ENGINE" exec "$worker" sh -c "mkdir -p $(dirname $FILE) && touch $FILE"
done
"$HELM" upgrade --install berth charts/berth --namespace berth-system --create-namespace --wait --timeout 300s \
  --values examples/dead-device/values.yaml --set "image.repository=${IMAGE%:*},image.tag=${IMAGE##*:}" >/dev/null
kubectl apply --filename examples/dead-device/deployment.yaml
kubectl rollout status deployment/radio-user --timeout 120s

pod() { # the node, the health of the device and the name of each pod that does not end
  kubectl get pods --selector app=radio-user --field-selector status.phase=Running --output 'go-template={{range .items}}{{if not .metadata.deletionTimestamp}}{{.spec.nodeName}} {{range .status.containerStatuses}}{{range .allocatedResourcesStatus}}{{range .resources}}{{.health}}{{end}}{{end}}{{end}} {{.metadata.name}}{{"\n"}}{{end}}{{end}}'
}
before=$(pod)
node=${before%% *}
echo "before: $before"
"$ENGINE" exec "$node" rm "$FILE"
echo "the radio of $node died"

health=''
for _ in $(seq 180); do
  now=$(pod)
  case $now in
    '') ;;
    "$node Unhealthy "*) [ "$health" ] || echo "status: $now"; health=Unhealthy ;;
    "$node "*) ;;
    *)
      echo "after:  $now"
      kubectl get events --field-selector reason=EvictedFromUnhealthyDevice --output 'jsonpath={range .items[*]}event:  {.message}{"\n"}{end}'
      exit 0
      ;;
  esac
  sleep 1
done
echo "the pod did not leave $node within three minutes" >&2
kubectl --namespace berth-system logs deployment/berth-eviction >&2
exit 1
