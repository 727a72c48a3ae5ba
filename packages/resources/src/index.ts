export { QuantityError, resourcesErrors, type QuantityErrorCode } from './errors.ts'
export { Quantity, type QuantityForm, type QuantityParts } from './quantity.ts'
export type { QuantityFormat } from './quantity-format.ts'
export { parseQuantity } from './parse-quantity.ts'
export { decodeQuantity, quantityOf, zeroQuantity } from './quantity-json.ts'
export { quantityMap, type QuantityMap } from './quantity-map.ts'
export {
  isAttachableVolumeResourceName,
  isExtendedResourceName,
  isHugePageResourceName,
  isNativeResourceName,
  isOvercommitAllowed,
  isPodLevelResourceName,
  isPrefixedNativeResourceName,
  isScalarResourceName,
  validateExtendedResourceName,
} from './resource-names.ts'
export { qualifiedNameProblem } from './qualified-name.ts'
export { podRequestList, type RequestOptions } from './pod-request-list.ts'
export { podLimits } from './pod-limits.ts'
export {
  DEFAULT_MEMORY_REQUEST,
  DEFAULT_MILLI_CPU_REQUEST,
  boundPodRequest,
  isEmptyRequest,
  podRequest,
  type BoundPodResources,
  type PodResources,
} from './pod-resources.ts'
export { balancedScoreRequests, fitScoreRequests, type ScoreRequests } from './score-requests.ts'
export { resourceAmounts } from './resource-amounts.ts'
export { resourceList } from './resource-list.ts'
export { hostPorts, hostPortsConflict, usesHostPorts, type HostPort } from './host-ports.ts'
export { isSidecar } from './container-aggregate.ts'
export { isTerminal } from './terminal-pod.ts'
export { applyDefaults } from './apply-defaults.ts'
