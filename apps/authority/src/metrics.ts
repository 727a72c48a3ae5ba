import { defineMetrics, type Instruments } from '@berth/process/metrics'

/** Definitions of the authority's metrics. */
export const metricDefinitions = defineMetrics({
  expiry: {
    name: 'berth_authority_certificate_expiry_timestamp_seconds',
    help: 'Unix time at which a certificate expires: authority, next-authority (during a roll), server, and client or host-client (in files of the host).',
    type: 'gauge',
    labelNames: ['certificate'],
  },
  renewal: {
    name: 'berth_authority_certificate_renewal_timestamp_seconds',
    help: 'Unix time at which a certificate is due for renewal: two thirds of its lifetime.',
    type: 'gauge',
    labelNames: ['certificate'],
  },
  outdatedSchedulers: {
    name: 'berth_authority_outdated_schedulers',
    help: 'Number of kube-schedulers in the pods of the extender that started before the next authority was published. Restart them.',
    type: 'gauge',
  },
  rotations: {
    name: 'berth_authority_rotations_total',
    help: 'Checks of all certificates, with renewals where they are due, by result: ok or failed.',
    type: 'counter',
    labelNames: ['result'],
    initialLabels: [{ result: 'ok' }, { result: 'failed' }],
  },
  lastSuccess: {
    name: 'berth_authority_last_success_timestamp_seconds',
    help: 'Unix time of the last check of all certificates that succeeded. 0: none yet, for example in a replica without the Lease.',
    type: 'gauge',
  },
})

/** Instruments of {@link metricDefinitions}. */
export type AuthorityMetrics = Instruments<typeof metricDefinitions>
