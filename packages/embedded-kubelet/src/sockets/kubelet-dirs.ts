/** Directories of one simulated kubelet. Socket paths in them must be shorter than 108 bytes. */
export interface KubeletDirs {
  /** Contains `kubelet.sock`, the plugins' sockets and the checkpoint. */
  readonly devicePlugins: string
  /** Watched for plugin sockets, including subdirectories. */
  readonly pluginsRegistry: string
  /** Contains `kubelet.sock` of the pod resources API. */
  readonly podResources: string
}
