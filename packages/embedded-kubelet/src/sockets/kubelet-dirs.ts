/** Directories of one simulated kubelet; each socket path in them must stay below 108 bytes. */
export interface KubeletDirs {
  /** `kubelet.sock`, the plugins' sockets and the checkpoint. */
  readonly devicePlugins: string
  /** Watched for plugin sockets, sub-directories included. */
  readonly pluginsRegistry: string
  /** `kubelet.sock` of the pod resources API. */
  readonly podResources: string
}
