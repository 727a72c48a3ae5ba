import type { ApiHandler, Clock, Logger, Pod, Random, ResourceList, Taint } from '@berth/types'
import type { ContainerRunOptions } from './devices/container-run-options.ts'
import type { DeviceManager } from './devices/device-manager.ts'
import type { KubeletFeeds } from './api/kubelet-feeds.ts'
import type { KubeletDirs } from './sockets/kubelet-dirs.ts'

/** What a simulated kubelet is made of. */
export interface KubeletOptions {
  readonly handler: ApiHandler
  readonly nodeName: string
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  /** Native resources; default: 8 cpu, 32Gi memory, 100Gi ephemeral-storage, 110 pods. */
  readonly capacity?: ResourceList
  /** Kept back from pods: capacity less this is allocatable. */
  readonly reserved?: ResourceList
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** Without it the kubelet has no sockets: its device manager can still be driven in process. */
  readonly pluginDirs?: KubeletDirs
  /** Devices that the node has without a plugin: their number by resource name. */
  readonly devices?: Readonly<Record<string, number>>
  /** Default 1000; a real kubelet takes 10 s. */
  readonly statusSyncMs?: number
  /** Default 10 000; 0: no Lease. */
  readonly leaseRenewMs?: number
  /** From the deletion request to the end of a pod's containers; default 0. */
  readonly terminationMs?: number
  /**
   * Whether the end of an old plugin's stream also drops a newer registration of the same resource. Default true, as
   * measured on 1.36.3; later kubelets tell them apart (kubernetes/kubernetes#135437).
   */
  readonly hasStreamRace?: boolean
  /** Sent with every request, e.g. `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: feeds of its own, filtered by node name. */
  readonly feeds?: KubeletFeeds
}

/** How a kubelet comes back. */
export interface RestartOptions {
  /** Containers are gone: every bound pod is admitted anew. */
  readonly isReboot?: boolean
  /** What a kubelet with an empty plugin directory does to its old Node object: extended resources become 0. */
  readonly resetsExtendedResources?: boolean
}

/** A simulated kubelet. */
export interface Kubelet extends AsyncDisposable {
  readonly nodeName: string
  readonly isRunning: boolean
  /** Registers the node and begins to keep pods. Does nothing when it runs. */
  start(options?: RestartOptions): Promise<void>
  /** Ends every connection; the node and its pods stay in the API as they are. */
  stop(): Promise<void>
  restart(options?: RestartOptions): Promise<void>
  /** One status sync now, beside the periodic ones. */
  syncStatus(): Promise<void>
  /** Resolves when no pod waits for admission or its end. */
  settled(): Promise<void>
  /** The device manager of the present life. @throws KubeletSocketError never; Error when stopped */
  readonly devices: DeviceManager
  /** What the runtime was told for a container of a pod. */
  runOptions(pod: Pod, container: string): ContainerRunOptions
}
