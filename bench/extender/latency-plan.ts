import type { KeyPair } from '@berth/e2e/real-scheduler/certificates'

/** The calls of a client whose times are measured, and the extender that serves them. */
export interface LatencyPlan {
  readonly port: number
  /** Certificate of the authority, and the certificate of the client, PEM. */
  readonly ca: string
  readonly caller: KeyPair
  readonly namesPerCall: readonly number[]
  readonly rounds: number
  readonly callsPerRound: number
}

/** Returns the message of the line with the times of these calls. */
export function timesMessage(verb: string, names: number): string {
  return `${verb} with ${names} names`
}
