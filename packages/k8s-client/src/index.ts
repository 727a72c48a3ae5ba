export { connectCluster, type ConnectOptions } from './cluster.ts'
export type { ClusterAccess, Credentials } from './access.ts'
export type {
  ApiClient,
  BindOptions,
  BindOutcome,
  CallOptions,
  CallPriority,
  Cluster,
  DeleteOptions,
  EventInput,
  EventRecorder,
  EventRecorderStats,
  EvictOptions,
  EvictOutcome,
  ListOptions,
  NodeStatusPatchOptions,
  PatchOptions,
  PatchType,
  ServerVersion,
  Transport,
  WriteOptions,
} from './client-types.ts'
export {
  ApiError,
  KubeconfigError,
  LeaseTimesError,
  TransportError,
  isApiStatus,
  k8sClientErrors,
  type ApiErrorCause,
  type KubeconfigPlace,
} from './errors.ts'
export {
  apiVersionOf,
  collectionPath,
  objectPath,
  resourceRefs,
  withQuery,
  type ObjectName,
  type ResourceRef,
  type ResourceRefName,
} from './resource-ref.ts'
export type { IndexKeys } from './reflector/indexes.ts'
export type {
  ReflectOptions,
  Reflector,
  ReflectorHandlers,
  ReflectorStats,
  RelistReason,
  RestartReason,
} from './reflector/types.ts'
export { loadKubeconfig, type KubeconfigOptions } from './kubeconfig.ts'
export { startLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.ts'
export { leaseTimesFault, type LeaseTimes, type LeaseTimesFault } from './lease-times.ts'
export { microTime } from './micro-time.ts'
export { connectTransport, type TransportOptions } from './transport/connect.ts'
