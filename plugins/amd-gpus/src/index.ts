/** AMD GPUs and their partitions, from the topology that the amdgpu driver reports. */
import { createScanningSource, hostFiles, nodesInContainer } from '@berth/device-discovery'
import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { type AmdGpuArgs, argsSchema } from './args.ts'
import { scanAmd } from './scan-amd.ts'

/** Offers AMD GPUs: the container gets /dev/kfd and the nodes of the GPU in /dev/dri. */
export const plugin: DeviceSourcePlugin<AmdGpuArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'amd-gpu',
  description: 'AMD GPUs and their partitions, for ROCm.',
  argsSchema,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    return createScanningSource(
      {
        scan: () => scanAmd(args, host),
        watchedDirectories: () => ['/dev', '/dev/dri'].map((path) => host.locate(path)),
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
          deviceNodes: nodesInContainer(
            devices.flatMap(({ nodes }) => nodes),
            'rw',
          ),
        }),
      },
      env,
    )
  },
})
