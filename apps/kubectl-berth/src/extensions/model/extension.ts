/** Whether something uses an extension. `unknown`: nothing found, but not everything could be read. */
export type ExtensionUse = 'used' | 'unused' | 'unknown'

/** Whether an extension works. `unknown`: nothing that can be read says so. */
export type ExtensionHealth = 'healthy' | 'unhealthy' | 'unknown'

/** One thing that extends the cluster or kubectl. */
export interface Extension {
  readonly name: string
  readonly use: ExtensionUse
  readonly health: ExtensionHealth
  /** Its users: `pod default/web`, `StorageClass fast`. Sorted. */
  readonly usedBy: readonly string[]
  /** Sentences with what was found, and where. */
  readonly evidence: readonly string[]
}
