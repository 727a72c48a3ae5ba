import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { createScanLoop } from '@berth/device-discovery'
import { allocatePaths } from './allocate-paths.ts'
import type { InspectCalls } from './inspect-path.ts'
import type { PathDevice } from './path-device.ts'
import { pathGlobArgs, type PathGlobArgs } from './path-glob-args.ts'
import { createPathScanner, watchedDirectories } from './scan-paths.ts'

/** Creates the source {@link pathGlobSource}, with the calls that inspect paths. */
export function createPathGlobSource(calls?: InspectCalls): DeviceSourcePlugin<PathGlobArgs> {
  return defineDeviceSource({
    apiVersion: 'berth.dev/v1',
    name: 'path-glob',
    description: 'Host paths that match a pattern. They may appear and disappear.',
    argsSchema: pathGlobArgs,
    create(args, { clock, log }) {
      const scan = createPathScanner(args, {
        ...(calls !== undefined && { calls }),
        clock,
      })
      return {
        discover: createScanLoop({
          scan,
          watchedDirectories: () => watchedDirectories(args),
          rescanMs: args.rescanSeconds * 1000,
          clock,
          log,
        }),
        allocate(ids, devices) {
          const wanted = new Set(ids)
          return allocatePaths(
            args,
            devices.filter(({ id }) => wanted.has(id)).map((device) => device as PathDevice),
          )
        },
      }
    },
  })
}

/** Host paths by glob pattern: serial ports, cameras, dongles, sockets. They may appear and disappear. */
export const pathGlobSource: DeviceSourcePlugin<PathGlobArgs> = createPathGlobSource()
