/** NVIDIA GPUs by the names in CDI files, which nvidia-ctk generates. */
import { createScanningSource, hostFiles, listEnv } from '@berth/device-discovery'
import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { argsSchema, type NvidiaGpuArgs } from './args.ts'
import { scanCdi } from './scan-cdi.ts'

/** Offers NVIDIA GPUs: the container runtime injects what the CDI file says, such as libraries and device nodes. */
export const plugin: DeviceSourcePlugin<NvidiaGpuArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'nvidia-gpu',
  description: 'NVIDIA GPUs and MIG devices by the CDI names that nvidia-ctk generates.',
  argsSchema,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    return createScanningSource(
      {
        scan: () => scanCdi(args, host),
        watchedDirectories: () => [...args.specDirectories, '/dev'].map((path) => host.locate(path)),
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
          env: listEnv(
            'CDIDEVICE',
            env.resourceName,
            devices.map(({ cdiName }) => cdiName),
          ),
          cdiDevices: devices.map(({ cdiName }) => cdiName),
        }),
      },
      env,
    )
  },
})
