/** What `e2e/run.ts` hands to the scenarios. */
export interface Session {
  readonly kubeconfig: string
  /** The program, version 4. */
  readonly helm: string
  /** Image of all apps that the nodes have or can pull. */
  readonly image: string
  /** `docker` or `podman`; of no use without {@link nodeContainers}. */
  readonly engine: string
  /** Containers that are the cluster's nodes, sorted; empty for a cluster that is not kind's. */
  readonly nodeContainers: readonly string[]
}

const NAME = 'BERTH_E2E_SESSION'

/** The environment that carries a session to the scenarios. */
export function sessionEnv(session: Session): Readonly<Record<string, string>> {
  return { [NAME]: JSON.stringify(session) }
}

/**
 * The session of this run.
 *
 * @throws Error outside of `npm run e2e`.
 */
export function sessionUnderTest(): Session {
  const text = process.env[NAME]
  if (text === undefined) throw new Error(`${NAME} is not set; run: npm run e2e`)
  return JSON.parse(text) as Session
}
