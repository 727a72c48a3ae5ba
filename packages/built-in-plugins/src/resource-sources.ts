/** The resource sources of this repository that the advertiser knows without --plugin-dir. */
import type { BerthPlugin } from '@berth/plugin-api'
import { plugins as hostNumbers } from '@berth/plugin-host-numbers'
import { plugins as httpNumbers } from '@berth/plugin-http-numbers'
import { plugins as localNumbers } from '@berth/plugin-local-numbers'
import { plugins as nodeFields } from '@berth/plugin-node-fields'

/** All resource sources of the folder plugins/. Apart from the others, so that each program holds only what it can run. */
export const builtInResourceSources: readonly BerthPlugin[] = [
  ...hostNumbers,
  ...httpNumbers,
  ...localNumbers,
  ...nodeFields,
]
