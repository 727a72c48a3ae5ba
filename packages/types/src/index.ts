export { BerthError, type BerthErrorOptions, type ErrorDescription } from './errors.ts'
export type { AuditEvent, AuditObjectRef } from './audit-log/audit-event.ts'
export { AuditLineError, readAuditLog } from './audit-log/read-audit-log.ts'
export { isRecord } from './is-record.ts'
export { applyJsonMergePatch } from './json-merge-patch.ts'
export {
  extendedResourceNameKeywords,
  isPrefixedNativeResourceName,
  validateExtendedResourceName,
} from './names/extended-resource-name.ts'
export { splitNamespacedName } from './names/namespaced-name.ts'
export { isDnsSubdomain, isLabelValue, qualifiedNameProblem } from './names/qualified-name.ts'
export { silentLogger, type LogFields, type Logger } from './logger.ts'
export type { Clock, Random, Timer } from './clock.ts'
export type { ApiHandler, ApiRequest, ApiResponse } from './exchange.ts'
export type {
  KubernetesList,
  KubernetesObject,
  LabelSelector,
  LabelSelectorRequirement,
  ListMeta,
  ObjectMeta,
  OwnerReference,
  Status,
  WatchEvent,
} from './object-meta.ts'
export type {
  Binding,
  Container,
  ContainerPort,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  ResourceList,
  ResourceRequirements,
  ResourceStatus,
  Toleration,
  TopologySpreadConstraint,
} from './pod.ts'
export type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from './affinity.ts'
export type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  Volume,
  VolumeAttachment,
} from './volume.ts'
export type { ClusterEvent } from './cluster-event.ts'
export type { ClusterObjectKind, ClusterObjectKinds, ClusterObjectsReader } from './cluster-objects.ts'
export type {
  ExtendedResource,
  ExtendedResourceCondition,
  ExtendedResourceConflict,
  ExtendedResourceNodes,
  ExtendedResourceSource,
  ExtendedResourceSpec,
  ExtendedResourceStatus,
} from './extended-resource.ts'
export type { Node, NodeCondition, NodeStatus, Taint } from './node.ts'
export type { GroupCondition, PodGroup, PodGroupApi, PodGroupRef } from './pod-group.ts'
export type {
  ConfigMap,
  DeviceClass,
  Event,
  Lease,
  Namespace,
  ObjectReference,
  PodDisruptionBudget,
  Service,
  Workload,
} from './objects.ts'
export {
  MAX_EXTENDER_PRIORITY,
  type ExtenderArgs,
  type ExtenderBindingArgs,
  type ExtenderBindingResult,
  type ExtenderFilterResult,
  type ExtenderPreemptionArgs,
  type ExtenderPreemptionResult,
  type FailedNodesMap,
  type HostPriority,
  type MetaVictims,
  type Victims,
} from './extender.ts'
export { StatusCode, type InsufficientResource, type Rejection, type Verdict } from './verdict.ts'
export type { Allocation, Device, DeviceHealth, DeviceMount, DeviceNode } from './device.ts'
export {
  MAX_NODE_SCORE,
  type Candidates,
  type ClusterReader,
  type DecideContext,
  type DecideHooks,
  type DecidePlugin,
  type FilterOutput,
  type PreEnqueueResult,
  type PreFilterResult,
  type PreScoreResult,
  type QueuedPod,
} from './decide-hooks.ts'
