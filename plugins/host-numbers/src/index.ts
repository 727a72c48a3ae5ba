/** Resource sources that read the hardware of the node on which the advertiser runs, in its mode node. */
import type { BerthPlugin } from '@berth/plugin-api'
import { diskCapacity } from './disk/disk-capacity.ts'
import { nicBandwidth } from './network/nic-bandwidth.ts'

export const plugins: readonly BerthPlugin[] = [diskCapacity, nicBandwidth]
