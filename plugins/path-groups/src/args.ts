import { absolutePath, containerPathConflicts, nodePermissions, type ScanArgs, scanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** The place that stands for the text that the paths of a group have in common. */
export const KEY = '{key}'

/** Device nodes that a group has. */
export interface GroupPath {
  readonly path: string
  readonly containerPath?: string | undefined
  readonly permissions: string
  readonly optional: boolean
}

/** Arguments of path-groups. */
export interface PathGroupsArgs extends ScanArgs {
  readonly paths: readonly GroupPath[]
  readonly idPrefix?: string | undefined
}

const groupPath = z
  .strictObject({
    path: absolutePath.describe(
      'Device nodes on the host. {key} stands for the text that all paths of a group have in common, * for any text and ? for one character of a name.',
    ),
    containerPath: absolutePath
      .optional()
      .describe('Path in the container, with {key}. Not for a path with * or ?. Default: the path on the host.'),
    permissions: nodePermissions,
    optional: z.boolean().default(false).describe('A group without this path is healthy as well.'),
  })
  .superRefine(({ path, containerPath }, context) => {
    if (containerPath === undefined) return
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['containerPath'], message })
    if (/[*?]/.test(path)) refuse('a path with * or ? may lead to several nodes: remove containerPath')
    if (path.includes(KEY) && !containerPath.includes(KEY)) {
      refuse('expected {key} in the path, because a container may get several groups')
    }
  })

/** Schema of the arguments. */
export const argsSchema: z.ZodType<PathGroupsArgs> = z
  .strictObject({
    paths: z.array(groupPath).min(1).max(100).describe('Device nodes of each group.'),
    idPrefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,50}$/, 'expected at most 51 letters, digits, dots, dashes or underscores')
      .optional()
      .describe('Start of the ids. Default: the part of the resource name after the slash.'),
    ...scanArgs,
  })
  .superRefine(({ paths }, context) => {
    const numbered = paths.map((each, index) => ({ ...each, index }))
    for (const { node, earlier, containerPath } of containerPathConflicts(numbered)) {
      const message = `paths[${earlier.index}] has the container path ${containerPath}, too`
      context.addIssue({ code: 'custom', path: ['paths', node.index, 'containerPath'], message })
    }
    const keyed = paths.filter(({ path }) => path.includes(KEY))
    if (keyed.length > 0 && keyed.every(({ optional }) => optional)) {
      context.addIssue({ code: 'custom', path: ['paths'], message: 'expected a path with {key} that is not optional' })
    }
  })
