import type { AlertGroup } from './alert.ts'

/** Alerts about the authority. */
export const authorityAlerts: AlertGroup = {
  name: 'berth-authority',
  app: 'authority',
  alerts: [
    {
      name: 'BerthAuthorityAbsent',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'absent(berth_authority_rotations_total{job="$job"})',
      summary: 'No authority runs.',
      description:
        'Prometheus has seen no authority for an hour. Certificates of the extender are not renewed, and expire within 10 days.',
    },
    {
      name: 'BerthAuthorityFails',
      severity: 'warning',
      holdsFor: '15m',
      expr: 'time() - max by (job) (berth_authority_last_success_timestamp_seconds{job="$job"}) > 900',
      summary: 'The authority cannot check or renew the certificates of the extender.',
      description: 'Its checks have failed for more than 15 minutes. Certificates that are due are not renewed.',
    },
    {
      name: 'BerthAuthorityRestartKubeScheduler',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'max by (job) (berth_authority_outdated_schedulers{job="$job"}) > 0',
      summary: 'kube-scheduler must be restarted, because it does not know the next certificate authority.',
      description:
        'One or more kube-schedulers started before the authority was published. At five sixths of the lifetime of the old one, they can no longer call the extender.',
    },
    {
      name: 'BerthAuthorityHostFilesExpire',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'berth_extender_certificate_expiry_timestamp_seconds{job="$job", certificate="client"} - time() < 21 * 86400 and on (job) berth_authority_certificate_expiry_timestamp_seconds{job="$job", certificate="host-client"}',
      summary: 'The certificate in the host files of a kube-scheduler expires within three weeks.',
      description:
        'The Secret of the client has a newer one. Copy it into the files of the hosts; kube-scheduler reads it without a restart.',
    },
    {
      name: 'BerthAuthorityHostFilesRoll',
      severity: 'warning',
      holdsFor: '1h',
      expr: 'berth_authority_certificate_expiry_timestamp_seconds{job="$job", certificate="next-authority"} and on (job) berth_authority_certificate_expiry_timestamp_seconds{job="$job", certificate="host-client"}',
      summary: 'The host files of a kube-scheduler need the next certificate authority.',
      description:
        'Copy the Secret of the client into the files of the hosts and restart kube-scheduler, before the authority is used two weeks after its publication.',
    },
  ],
}
