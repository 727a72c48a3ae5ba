/** The device sources of this repository that the device plugin knows without --plugin-dir. */
import type { BerthPlugin } from '@berth/plugin-api'
import { plugin as amdGpu } from '@berth/plugin-amd-gpus'
import { plugin as namedSlots } from '@berth/plugin-named-slots'
import { plugin as nvidiaGpu } from '@berth/plugin-nvidia-gpus'
import { plugins as pciDevices } from '@berth/plugin-pci-devices'
import { plugin as usb } from '@berth/plugin-usb-devices'

/** All device sources of the folder plugins/. Apart from the policies, so that each program holds only what it can run. */
export const builtInDeviceSources: readonly BerthPlugin[] = [amdGpu, namedSlots, nvidiaGpu, ...pciDevices, usb]
