import { timingSafeEqual } from 'node:crypto'

/** Properties of a request. A header that was not sent is undefined. */
export interface RequestClaims {
  readonly method: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** The header Sec-Fetch-Site, which browsers set and pages cannot change. */
  readonly fetchSite: string | undefined
  readonly authorization: string | undefined
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 405
  readonly reason: string
}

/** Requirements of a route for its requests. */
export interface RouteRules {
  readonly methods: readonly string[]
  /** The accepted bearer token; undefined for files that hold nothing about the cluster. */
  readonly token: string | undefined
}

/**
 * Returns why a request must not be answered; undefined when it may.
 *
 * The Host must be the loopback address of this server, because a name that an attacker points at loopback (DNS rebinding)
 * would make another site the same origin. Browsers send Origin with requests of other sites that are not simple
 * navigations, and Sec-Fetch-Site with all.
 */
export function refusalOf(request: RequestClaims, port: number, rules: RouteRules): Refusal | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (request.host === undefined || !hosts.includes(request.host))
    return { status: 403, reason: `the Host header must be ${hosts.join(' or ')}` }
  if (request.origin !== undefined && request.origin !== `http://${request.host}`)
    return { status: 403, reason: 'requests of other origins are refused' }
  // "none" is an address that the user typed or a link of another program.
  if (request.fetchSite !== undefined && !['same-origin', 'none'].includes(request.fetchSite))
    return { status: 403, reason: 'requests of other sites are refused' }
  if (!rules.methods.includes(request.method))
    return { status: 405, reason: `only ${rules.methods.join(' and ')} is allowed: the page reads and changes nothing` }
  if (rules.token !== undefined && !isSame(request.authorization ?? '', `Bearer ${rules.token}`))
    return { status: 401, reason: 'the token is missing or wrong: open the address that kubectl berth ui printed' }
  return undefined
}

/** Compares without telling by its duration how much was right. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
