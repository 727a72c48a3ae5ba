export { EXIT_CODE_ANNOTATION, RUN_SECONDS_ANNOTATION } from './container-end.ts'
export type { AdmissionFailure } from './admit-pod.ts'
export type { ContainerRunOptions } from './container-run-options.ts'
export type { DevicePluginEndpoint } from './device-endpoint.ts'
export type { DeviceCounts, LiveEndpoint, Registration } from './device-inventory.ts'
export {
  createDeviceManager,
  type CheckpointStore,
  type DeviceManager,
  type DeviceManagerOptions,
} from './device-manager.ts'
export { DeviceAllocationError, KubeletApiError, KubeletSocketError, kubeletErrors } from './errors.ts'
export { createKubelet } from './kubelet.ts'
export { startKubeletFeeds } from './kubelet-feeds.ts'
export type { Kubelet, KubeletDirs, KubeletFeeds, KubeletOptions, RestartOptions } from './kubelet-options.ts'
export type { FeedListener, ObjectFeed } from './object-feed.ts'
export type { ContainerAllocation } from './pod-devices.ts'
