export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server.ts'
export type { AuditEvent, AuditLevel } from './audit/audit-event.ts'
export { auditLines, type AuditOptions } from './audit/audited.ts'
export { startControllers } from './controllers/start-controllers.ts'
export { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from './embedded-cluster.ts'
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
} from './kubelet/index.ts'
export { parseDevices, parseSimulateArguments, type SimulateRequest } from './simulate-arguments.ts'
export { simulate, type ClusterConnection, type SimulateWorld } from './simulate.ts'
export type { Change, ChangeListener, Collection } from './store/collection.ts'
export type { Store } from './store/store.ts'
