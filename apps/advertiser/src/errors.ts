import { BerthError, type ErrorDescription } from '@berth/types'

/** The declared state was not reached on some node, or could not be taken back from it. */
export class AdvertiseError extends BerthError {}

/** A resource source plugin answered with something that is no count. */
export class SourceError extends BerthError {}

/** Every code that the advertiser throws on its own. */
export const advertiserErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    meaning:
      'One pass (--once) ended and some node does not offer what is declared, or prune could not take everything back.',
    action: 'Read the warnings above it: each names the node, the resource and the reason.',
  },
  {
    code: 'BERTH_ADVERTISER_CONTENDED',
    meaning: 'A node changed between reading and writing it, as often as the advertiser was willing to try again.',
    action:
      'Nothing: the advertiser tries again later; find the other writer with `kubectl get node NAME --show-managed-fields -o yaml` if it stays.',
  },
  {
    code: 'BERTH_ADVERTISER_IN_USE',
    meaning: 'prune was to take back resources that running pods still hold, so nothing was changed.',
    action: 'Delete the pods that the message names, or pass --force.',
  },
  {
    code: 'BERTH_ADVERTISER_SOURCE_ANSWER',
    meaning: 'A resource source answered with something that is no whole number from 0 to 2^63-1.',
    action: 'Correct the plugin; until then the node keeps the last good value as long as it is fresh.',
  },
]
