import { ConfigError } from '@berth/process/errors'
import { BerthError, type ErrorDescription } from '@berth/types'

/** The authority cannot go on issuing certificates. */
export class AuthorityError extends BerthError {}

/** Creates the error of a process that must stop because it no longer holds its Lease. */
export function leaseLostError(lease: string): AuthorityError {
  return new AuthorityError(`hold the Lease ${lease}: it was lost, or could not be renewed`, {
    code: 'BERTH_AUTHORITY_LEASE_LOST',
    retryable: true,
    hint: 'Nothing to do: the process restarts and waits for the Lease.',
  })
}

/** Creates the error of lifetimes that leave no time for a roll. */
export function lifetimesError(reason: string): ConfigError {
  return new ConfigError(`configure lifetimes: ${reason}`, {
    code: 'BERTH_AUTHORITY_CONFIG_LIFETIMES',
    hint: 'Raise authorityLifetimeHours, or lower the key that the message names.',
  })
}

/** Creates the error of two certificates in one Secret, which would replace each other. */
export function secretsError(secret: string, keys: readonly string[]): ConfigError {
  return new ConfigError(`configure Secrets: ${keys.join(' and ')} name the same Secret ${secret}`, {
    code: 'BERTH_AUTHORITY_CONFIG_SECRETS',
    hint: 'Set authoritySecret, serverSecret and clientSecret to different names.',
  })
}

/** Every error code of the authority. */
export const authorityErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_AUTHORITY_LEASE_LOST',
    meaning: 'This process lost its Lease, or could not renew it, so that another one may write.',
    action:
      'Nothing: the process restarts and waits for the Lease. If it happens often, check the connection to the API server.',
  },
  {
    code: 'BERTH_AUTHORITY_CONFIG_LIFETIMES',
    meaning: 'The authority lives too short for a roll to the next one, or for the certificates that it issues.',
    action: 'Raise authorityLifetimeHours, or lower the key that the message names.',
  },
  {
    code: 'BERTH_AUTHORITY_CONFIG_SECRETS',
    meaning:
      'Two of the authority, the extender and kube-scheduler have the same Secret, so that one would replace the other.',
    action: 'Set authoritySecret, serverSecret and clientSecret to different names.',
  },
]
