export { createApiServer, type ApiServer, type ApiServerOptions } from '../../embedded-api-server/src/api-server.ts'
export type { AuditEvent, AuditLevel } from '../../embedded-api-server/src/request/audit/audit-event.ts'
export { auditLines, type AuditOptions } from '../../embedded-api-server/src/request/audit/audited.ts'
export { startControllers } from '../../embedded-controllers/src/start-controllers.ts'
export { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from './cluster/embedded-cluster.ts'
export { simulatorErrors } from './errors.ts'
export { joinCluster, SIMULATED_KEY, type JoinedNodes, type JoinOptions } from './join/join-cluster.ts'
export type { ServingCertificates } from './http/certificates.ts'
export { serveApiServer, type ServedApi, type ServeOptions } from './http/serve-api-server.ts'
export { SimulatorStartError } from './http/simulator-error.ts'
export {
  createDeviceManager,
  createKubelet,
  DeviceAllocationError,
  EXIT_CODE_ANNOTATION,
  KubeletApiError,
  KubeletSocketError,
  RUN_SECONDS_ANNOTATION,
  startKubeletFeeds,
  type AdmissionFailure,
  type CheckpointStore,
  type ContainerAllocation,
  type ContainerRunOptions,
  type DeviceCounts,
  type DeviceManager,
  type DeviceManagerOptions,
  type DevicePluginEndpoint,
  type FeedListener,
  type Kubelet,
  type KubeletDirs,
  type KubeletFeeds,
  type KubeletOptions,
  type LiveEndpoint,
  type ObjectFeed,
  type Registration,
  type RestartOptions,
} from '../../embedded-kubelet/src/index.ts'
export { parseDevices, parseSimulateArguments, type SimulateRequest } from './simulate/simulate-arguments.ts'
export { simulate, type ClusterConnection, type SimulateWorld } from './simulate/simulate.ts'
export type { Change, ChangeListener, Collection } from '../../embedded-api-server/src/store/collection.ts'
export type { Store } from '../../embedded-api-server/src/store/store.ts'
