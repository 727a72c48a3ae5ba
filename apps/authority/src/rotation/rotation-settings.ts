import type { Config } from '../config.ts'
import { lifetimesError, secretsError } from '../errors.ts'
import type { RotationOptions } from './rotate.ts'

const HOUR_MS = 3_600_000

/** The settings of a rotation that the configuration determines. */
export type RotationSettings = Pick<
  RotationOptions,
  'authoritySecret' | 'authorityLifetimeMs' | 'leaves' | 'rollMs'
> & {
  /** Name of the Secret -> its label in metrics. */
  readonly labels: ReadonlyMap<string, string>
}

/**
 * Returns the settings of a configuration.
 *
 * @throws ConfigError BERTH_AUTHORITY_CONFIG_LIFETIMES, BERTH_AUTHORITY_CONFIG_SECRETS
 */
export function rotationSettings(config: Config): RotationSettings {
  const { authorityLifetimeHours, serverLifetimeHours, rollHours, clientUsesHostFiles } = config
  const clientLifetimeHours = clientUsesHostFiles ? config.hostClientLifetimeHours : config.clientLifetimeHours
  refuseSharedSecret(config)
  // The next authority is published at two thirds and must be in use at five sixths.
  if (rollHours > authorityLifetimeHours / 6) {
    throw lifetimesError(`rollHours (${rollHours}) is more than a sixth of authorityLifetimeHours`)
  }
  const longest = Math.max(serverLifetimeHours, clientLifetimeHours)
  if (longest > authorityLifetimeHours / 2) {
    throw lifetimesError(`a certificate lives ${longest} hours, more than half of authorityLifetimeHours`)
  }
  return {
    authoritySecret: config.authoritySecret,
    authorityLifetimeMs: authorityLifetimeHours * HOUR_MS,
    rollMs: rollHours * HOUR_MS,
    leaves: [
      {
        secret: config.serverSecret,
        lifetimeMs: serverLifetimeHours * HOUR_MS,
        profile: {
          usage: 'server',
          commonName: config.serverName,
          dnsNames: config.serverNames,
          ipAddresses: config.serverAddresses,
        },
      },
      {
        secret: config.clientSecret,
        lifetimeMs: clientLifetimeHours * HOUR_MS,
        profile: { usage: 'client', commonName: config.clientName, dnsNames: [], ipAddresses: [] },
      },
    ],
    labels: new Map([
      [config.serverSecret, 'server'],
      [config.clientSecret, clientUsesHostFiles ? 'host-client' : 'client'],
    ]),
  }
}

/** Refuses two keys with one Secret: a pod would mount the key of the authority, or two leaves would replace each other. */
function refuseSharedSecret(config: Config): void {
  const keys = ['authoritySecret', 'serverSecret', 'clientSecret'] as const
  for (const [secret, sharing] of Map.groupBy(keys, (key) => config[key]))
    if (sharing.length > 1) throw secretsError(secret, sharing)
}
