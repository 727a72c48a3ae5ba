/** The plugins of this repository that every program knows without --plugin-dir. */
import type { BerthPlugin } from '@berth/plugin-api'
import { plugins as chaos } from '@berth/plugin-chaos'
import { plugin as deviceSlices } from '@berth/plugin-device-slices'
import { plugin as namespaceQuota } from '@berth/plugin-namespace-quota'
import { plugin as nodeCost } from '@berth/plugin-node-cost'
import { plugin as packOrSpread } from '@berth/plugin-pack-or-spread'
import { plugin as reservedNodes } from '@berth/plugin-reserved-nodes'
import { plugin as wholeNodes } from '@berth/plugin-whole-nodes'

/** All plugins of the folder plugins/. */
export const builtInPolicies: readonly BerthPlugin[] = [
  ...chaos,
  deviceSlices,
  namespaceQuota,
  nodeCost,
  packOrSpread,
  reservedNodes,
  wholeNodes,
]
