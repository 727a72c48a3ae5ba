export {
  actingAs,
  callJson,
  createTestServer,
  nodeManifest,
  openWatch,
  podManifest,
  serviceAccountToken,
  withToken,
  type CallOptions,
  type JsonResponse,
  type TestServer,
  type WatchReader,
} from '@berth/embedded-api-server/testing'
export { BrokenConnectionError } from './faults/broken-connection-error.ts'
export { isWatchRequest, type Fault, type FaultRule } from './faults/fault.ts'
export { createFaultInjector, type FaultInjector } from './faults/fault-injector.ts'
export { createLaggingServer, type LaggingServer } from './faults/lagging-server.ts'
export { recordExchanges } from './faults/record-exchanges.ts'
export { replayExchanges, type Replay } from './faults/replay-exchanges.ts'
export { createServerProcess, type ServerProcess } from './faults/server-process.ts'
export { parseRecording, type RecordedLine } from './faults/recording.ts'
export { startVirtualCluster, type VirtualCluster } from './testing/virtual-cluster.ts'
