import { errorText } from '@berth/text/error-text'
import { stat } from 'node:fs/promises'
import type { HostFiles } from '../host/host-files.ts'
import { createRootControl } from '../root-control.ts'
import { numaNodes } from './numa-nodes.ts'

/** The part of `fs.Stats` that identifies a device node. */
export interface NodeStats {
  readonly rdev: number
  isCharacterDevice(): boolean
  isBlockDevice(): boolean
}

/** Reads what a path leads to, as `stat` of `node:fs/promises` does. Tests, which cannot create nodes, replace it. */
export type StatNode = (path: string) => Promise<NodeStats>

/** A device node that a configuration names. */
export interface InspectedNode {
  /**
   * The path for the container runtime. A link that only root can change stays a link, because the runtime follows it
   * again at each restart of the container. Any other link is resolved, because another user could replace it.
   */
  readonly hostPath: string
  readonly numaNodes: readonly number[]
  /** Why no container can use the device node; undefined if one can. */
  readonly problem?: string
}

/** Inspects a device node. @param path - Path on the host; may be a link. */
export async function inspectNode(
  path: string,
  { host, statNode = stat }: { readonly host: HostFiles; readonly statNode?: StatNode | undefined },
): Promise<InspectedNode> {
  const unusable = (problem: string): InspectedNode => ({ hostPath: path, numaNodes: [], problem })
  try {
    const stats = await statNode(host.locate(path))
    const kind = stats.isCharacterDevice() ? 'char' : stats.isBlockDevice() ? 'block' : undefined
    if (kind === undefined) return unusable(`${path} is not a device node`)
    const real = await host.real(path)
    if (real === undefined) return unusable(`${path} leads out of hostRoot`)
    const isOwn = real === path || (await createRootControl()(host.locate(path)))
    return { hostPath: isOwn ? path : real, numaNodes: await numaNodes(kind, stats.rdev, host) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return unusable(code === 'ENOENT' ? `${path} is missing` : `${path} cannot be used (${code ?? errorText(error)})`)
  }
}
