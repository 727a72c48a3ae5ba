export { QuantityError, resourcesErrors, type QuantityErrorCode } from './errors.ts'
export { Quantity, type QuantityForm, type QuantityParts } from './quantity/quantity.ts'
export type { QuantityFormat } from './quantity/quantity-format.ts'
export { parseQuantity } from './quantity/parse-quantity.ts'
export { decodeQuantity, quantityOf, zeroQuantity } from './quantity/quantity-json.ts'
export { quantityMap, type QuantityMap } from './quantity/quantity-map.ts'
export {
  isAttachableVolumeResourceName,
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  isOvercommitAllowed,
  isPodLevelResourceName,
  isScalarResourceName,
} from './names/resource-names.ts'
export { podRequestList, type RequestOptions } from './pod-request/pod-request-list.ts'
export { podLimits } from './pod-request/pod-limits.ts'
export {
  DEFAULT_MEMORY_REQUEST,
  DEFAULT_MILLI_CPU_REQUEST,
  boundPodRequest,
  isEmptyRequest,
  podRequest,
  type BoundPodResources,
  type PodResources,
} from './pod-request/pod-request.ts'
export { balancedScoreRequests, fitScoreRequests, type ScoreRequests } from './pod-request/score-requests.ts'
export { resourceAmounts } from './quantity/resource-amounts.ts'
export { resourceList } from './quantity/resource-list.ts'
export { hostPorts, hostPortsConflict, usesHostPorts, type HostPort } from './pod-request/host-ports.ts'
export { isSidecar } from './pod-request/aggregate-containers.ts'
export { isBound } from './pod-request/is-bound.ts'
export { isTerminal } from './pod-request/is-terminal.ts'
export { resourceUsers, type ResourceUser } from './pod-request/resource-users.ts'
export { applyApiServerDefaults } from './pod-request/apply-api-server-defaults.ts'
