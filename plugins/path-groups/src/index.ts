/** Groups of device nodes, each group as one device: the nodes of a card, a camera with its controls. */
import { createScanningSource, hostFiles, nodesOnce, type StatNode } from '@berth/device-discovery'
import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { argsSchema, type PathGroupsArgs } from './args.ts'
import { directoryOf } from './match-paths.ts'
import { type PathGroup, scanGroups } from './scan-groups.ts'

/** Creates the source {@link plugin}. @param statNode - Replaced by tests, which cannot create device nodes. */
export function createPathGroups(statNode?: StatNode): DeviceSourcePlugin<PathGroupsArgs> {
  return defineDeviceSource({
    apiVersion: 'berth.dev/v1',
    name: 'path-groups',
    description: 'Groups of device nodes, each group as one device.',
    argsSchema,
    create(args, env) {
      const host = hostFiles(args.hostRoot)
      const { resourceName } = env
      return createScanningSource<PathGroup>(
        {
          scan: async () => ({ devices: await scanGroups(args, { host, resourceName, statNode }) }),
          watchedDirectories: () => [...new Set(args.paths.map(({ path }) => host.locate(directoryOf(path))))],
          rescanSeconds: args.rescanSeconds,
          allocate: (devices) => ({
            deviceNodes: nodesOnce(devices),
          }),
        },
        env,
      )
    },
  })
}

/** Offers groups of device nodes. */
export const plugin: DeviceSourcePlugin<PathGroupsArgs> = createPathGroups()
