import type { ApiHandler, Clock, Logger, Pod, Random, ResourceList, Taint } from '@berth/types'
import type { ContainerRunOptions } from './devices/container-run-options.ts'
import type { CheckpointStore, DeviceManager } from './devices/device-manager.ts'
import type { ListPodResourcesResponse } from '@berth/kubelet-api'
import type { KubeletFeeds } from './api/kubelet-feeds.ts'
import type { KubeletDirs } from './sockets/kubelet-dirs.ts'

/** Options of {@link createKubelet}. */
export interface KubeletOptions {
  readonly handler: ApiHandler
  readonly nodeName: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Native resources. Default: 8 cpu, 32Gi memory, 100Gi ephemeral-storage, 110 pods. */
  readonly capacity?: ResourceList
  /** Reserved resources: allocatable is capacity less these. */
  readonly reserved?: ResourceList
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** Directories for sockets. Without them the kubelet has none, but its device manager works in process. */
  readonly pluginDirs?: KubeletDirs
  /** Stores the device manager's checkpoint. Default: a file in `pluginDirs`, or none. */
  readonly checkpoint?: CheckpointStore
  /** Connects device plugins in memory, in addition to those of `pluginDirs`, until it is disposed. Called at each start. */
  readonly connectPlugins?: (devices: DeviceManager) => Disposable
  /** Number of devices without a plugin, by resource name. */
  readonly devices?: Readonly<Record<string, number>>
  /** Period of the status sync. Default: 1000. A real kubelet's is 10 s. */
  readonly statusSyncMs?: number
  /** Period of Lease renewals. Default: 10 000. 0 disables the Lease. */
  readonly leaseRenewMs?: number
  /** Time from the deletion request to the end of a pod's containers. Default: 0. */
  readonly terminationMs?: number
  /**
   * Whether the end of an old plugin's stream also drops a newer registration of the same resource. Default: true, as
   * measured on 1.36.3. Later kubelets distinguish them (kubernetes/kubernetes#135437).
   */
  readonly hasStreamRace?: boolean
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Shared feeds. Default: the kubelet's own, filtered by node name. */
  readonly feeds?: KubeletFeeds
}

/** Options of a start or restart. */
export interface RestartOptions {
  /** Whether the containers are lost, so that every bound pod is admitted again. */
  readonly isReboot?: boolean
  /** Whether extended resources of the Node become 0, as when the plugin directory is empty. */
  readonly resetsExtendedResources?: boolean
}

/** A simulated kubelet. */
export interface Kubelet extends AsyncDisposable {
  readonly nodeName: string
  readonly isRunning: boolean
  /** Registers the node and starts to run pods. Does nothing while the kubelet runs. */
  start(options?: RestartOptions): Promise<void>
  /** Closes every connection. The node and its pods stay unchanged in the API. */
  stop(): Promise<void>
  restart(options?: RestartOptions): Promise<void>
  /** Syncs the status now, in addition to the periodic syncs. */
  syncStatus(): Promise<void>
  /** Resolves when no work on pods is queued. Containers may still be terminating, see `terminationMs`. */
  settled(): Promise<void>
  /** The device manager since the last start. @throws Error when the kubelet is stopped */
  readonly devices: DeviceManager
  /** Returns what `List` of the pod resources API responds. @throws Error when the kubelet is stopped */
  podResources(): ListPodResourcesResponse
  /** Returns the options that device plugins add to a container of a pod. */
  runOptions(pod: Pod, container: string): ContainerRunOptions
}
