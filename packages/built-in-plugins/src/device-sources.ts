/** The device sources of this repository that the device plugin knows without --plugin-dir. */
import type { BerthPlugin } from '@berth/plugin-api'
import { plugin as amdGpu } from '@berth/plugin-amd-gpus'
import { plugin as namedSlots } from '@berth/plugin-named-slots'
import { plugin as network } from '@berth/plugin-network-interfaces'
import { plugin as nvidiaGpu } from '@berth/plugin-nvidia-gpus'
import { plugin as pathGroups } from '@berth/plugin-path-groups'
import { plugins as pciDevices } from '@berth/plugin-pci-devices'
import { plugin as usb } from '@berth/plugin-usb-devices'

/** All device sources of the folder plugins/. Apart from the policies, so that each program holds only what it can run. */
export const builtInDeviceSources: readonly BerthPlugin[] = [
  amdGpu,
  namedSlots,
  network,
  nvidiaGpu,
  pathGroups,
  ...pciDevices,
  usb,
]
