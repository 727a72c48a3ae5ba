/** The policies of this repository that the scheduler, the extender and kubectl berth know without --plugin-dir. */
import type { BerthPlugin } from '@berth/plugin-api'
import { plugins as chaos } from '@berth/plugin-chaos'
import { plugin as deviceSlices } from '@berth/plugin-device-slices'
import { plugin as namespaceQuota } from '@berth/plugin-namespace-quota'
import { plugin as nodeCost } from '@berth/plugin-node-cost'
import { plugin as packOrSpread } from '@berth/plugin-pack-or-spread'
import { plugin as reservedNodes } from '@berth/plugin-reserved-nodes'
import { plugin as wholeNodes } from '@berth/plugin-whole-nodes'

/** All policies of the folder plugins/. Its device sources are in `./device-sources.ts`, its resource sources in `./resource-sources.ts`. */
export const builtInPolicies: readonly BerthPlugin[] = [
  ...chaos,
  deviceSlices,
  namespaceQuota,
  nodeCost,
  packOrSpread,
  reservedNodes,
  wholeNodes,
]
