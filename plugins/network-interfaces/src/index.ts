/** Network interfaces and SR-IOV virtual functions. Moving them into a pod is the work of a CNI plugin. */
import { createScanningSource, hostFiles, listEnv, nodesInContainer } from '@berth/device-discovery'
import { defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { argsSchema, type NetworkArgs } from './args.ts'
import { scanNetwork } from './scan-network.ts'

/** Offers interfaces and virtual functions: the container gets their names and addresses, and the nodes of VFIO. */
export const plugin: DeviceSourcePlugin<NetworkArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'network',
  description: 'Network interfaces and SR-IOV virtual functions, for CNI plugins and for VFIO.',
  argsSchema,
  create(args, env) {
    const host = hostFiles(args.hostRoot)
    const idByInterface = new Map<string, string>()
    return createScanningSource(
      {
        scan: async () => ({ devices: await scanNetwork(args, host, idByInterface) }),
        watchedDirectories: () => ['/dev', '/dev/vfio'].map((path) => host.locate(path)),
        rescanSeconds: args.rescanSeconds,
        allocate: (devices) => ({
          env: {
            ...listEnv(
              'PCIDEVICE',
              env.resourceName,
              devices.flatMap(({ address }) => address ?? []),
            ),
            ...listEnv(
              'NETDEVICE',
              env.resourceName,
              devices.flatMap(({ interfaces }) => interfaces),
            ),
          },
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
