import { advertiserAlerts } from './advertiser-alerts.ts'
import type { AlertGroup } from './alert.ts'
import { authorityAlerts } from './authority-alerts.ts'
import { devicePluginAlerts, podResourcesAlerts } from './device-plugin-alerts.ts'
import { extenderAlerts } from './extender-alerts.ts'
import { schedulerAlerts } from './scheduler-alerts.ts'
import { sharedAlerts } from './shared-alerts.ts'

/** All alerts, in the order of the runbook. */
export const alertGroups: readonly AlertGroup[] = [
  sharedAlerts,
  schedulerAlerts,
  extenderAlerts,
  authorityAlerts,
  advertiserAlerts,
  devicePluginAlerts,
  podResourcesAlerts,
]
