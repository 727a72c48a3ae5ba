export { EXIT_CODE_ANNOTATION, RUN_SECONDS_ANNOTATION } from './pods/container-end.ts'
export type { AdmissionFailure } from './pods/admit-pod.ts'
export type { ContainerRunOptions } from './devices/container-run-options.ts'
export type { DevicePluginEndpoint } from './devices/device-endpoint.ts'
export type { DeviceCounts, LiveEndpoint, Registration } from './devices/device-inventory.ts'
export {
  createDeviceManager,
  type CheckpointStore,
  type DeviceManager,
  type DeviceManagerOptions,
} from './devices/device-manager.ts'
export { DeviceAllocationError, KubeletApiError, KubeletSocketError, kubeletErrors } from './errors.ts'
export { createKubelet } from './kubelet.ts'
export { startKubeletFeeds } from './api/kubelet-feeds.ts'
export type { Kubelet, KubeletDirs, KubeletFeeds, KubeletOptions, RestartOptions } from './kubelet-options.ts'
export type { FeedListener, ObjectFeed } from './api/object-feed.ts'
export type { ContainerAllocation } from './devices/pod-devices.ts'
