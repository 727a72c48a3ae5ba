export { connectCluster, type ConnectOptions } from './connect-cluster.ts'
export type { ClusterAccess, Credentials } from './access/cluster-access.ts'
export type {
  ApiClient,
  BindOptions,
  BindOutcome,
  DeleteOptions,
  EvictOptions,
  EvictOutcome,
  ListOptions,
  NodeStatusPatchOptions,
  PatchOptions,
  PatchType,
  WriteOptions,
} from './api-client/api-client.ts'
export { bindAndConfirm, type BindAndConfirmOptions } from './binding/bind-and-confirm.ts'
export {
  API_REQUEST_TIMEOUT_MS,
  type ConfirmBindingOptions,
  type ConfirmedBinding,
  confirmBinding,
  lostBind,
  type UnconfirmedBind,
} from './binding/confirm-binding.ts'
export type { CallOptions, CallPriority } from './calls/call-options.ts'
export type { Cluster, ServerVersion } from './connect-cluster.ts'
export type { WireEncoding } from './encoding/wire-encoding.ts'
export type { EventDropCause, EventObserver } from './events/dropped-events.ts'
export type { EventDelivery, EventInput } from './events/make-event.ts'
export type { EventRecorder, EventRecorderStats } from './events/event-recorder.ts'
export type { Transport } from './transport/connect-transport.ts'
export { ApiError, isApiStatus, type ApiErrorCause } from './errors/api-error.ts'
export { orAborted } from './async/or-aborted.ts'
export { BindError, bindError } from './errors/bind-error.ts'
export { KubeconfigError, type KubeconfigPlace } from './access/kubeconfig-error.ts'
export { LeaseTimesError } from './leases/lease-times.ts'
export { TransportError } from './errors/transport-error.ts'
export { k8sClientErrors } from './errors.ts'
export {
  apiVersionOf,
  collectionPath,
  objectPath,
  resourceRefs,
  withQuery,
  type ObjectName,
  type ResourceRef,
  type ResourceRefName,
} from './api-conventions/resource-ref.ts'
export type { IndexKeys } from './reflector/store/object-indexes.ts'
export type {
  CatchUpOptions,
  ReflectOptions,
  Reflector,
  ReflectorStats,
  RelistReason,
  RestartReason,
} from './reflector/reflector.ts'
export type { ReflectorHandlers } from './reflector/store/object-store.ts'
export { contextNames, loadKubeconfig, type KubeconfigOptions } from './access/load-kubeconfig.ts'
export { startLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leases/leader-election.ts'
export { leaseIdentity } from './leases/lease-identity.ts'
export { whileLeading } from './leases/while-leading.ts'
export { leaseTimesFault, type LeaseTimes, type LeaseTimesFault } from './leases/lease-times.ts'
export { microTime } from './api-conventions/micro-time.ts'
export { connectTransport, type TransportOptions } from './transport/connect-transport.ts'
export { forgetListeners } from './transport/forget-listeners.ts'
export { createListSplitter } from './reflector/read/list-splitter.ts'
export { compareVersions, type VersionOrder } from './reflector/read/compare-versions.ts'
