import type { Device } from '@berth/types'
import { basename } from 'node:path'
import type { PathGlobArgs } from './path-glob-args.ts'

/** A device found by `path-glob`. */
export interface PathDevice extends Device {
  /** The path that matched, and the path it resolves to. */
  readonly paths: readonly [matched: string, real: string]
  /**
   * The path for the container runtime. A link that only root can change is handed over itself: the kubelet reuses the
   * allocation when a container restarts, and the runtime resolves the link again. Any other link is resolved, because a
   * user could replace it after the check.
   */
  readonly hostPath: string
  /** True if the container gets a device node; otherwise it gets a bind mount. */
  readonly isDeviceNode: boolean
}

/** Replaces `{name}` by the last part of a path. */
export function insertName(pattern: string, path: string): string {
  return pattern.replaceAll('{name}', () => basename(path))
}

/** Returns the path of a device in a container. */
export function containerPathOf(path: string, { containerPath }: PathGlobArgs): string {
  return containerPath === undefined ? path : insertName(containerPath, path)
}
