/** Upstream's smallest count when there is no domain. */
const NO_MINIMUM = 2147483647

/** Numbers of matching pods by domain of one topology, and the smallest of them. */
export class DomainCounts {
  readonly #counts: Int32Array
  readonly #isKnown: Uint8Array
  /** Number of domains by count. */
  #domainsByCount: Map<number, number> | undefined
  #minimum = NO_MINIMUM
  #size = 0

  /** @param domainCount - Above every domain number. */
  constructor(domainCount: number) {
    this.#counts = new Int32Array(domainCount)
    this.#isKnown = new Uint8Array(domainCount)
  }

  /** Number of domains. */
  get size(): number {
    return this.#size
  }

  /** The smallest count of a domain; {@link NO_MINIMUM} when there is no domain. */
  get minimum(): number {
    if (this.#domainsByCount === undefined) this.#countDomains()
    return this.#minimum
  }

  /** Returns the count of the domain; 0 for an unknown one. */
  of(domain: number): number {
    return this.#counts[domain] ?? 0
  }

  /** Adds a domain with no pods. Call it, and {@link DomainCounts.addPod}, only before the minimum is first read. */
  addDomain(domain: number): void {
    if (this.#isKnown[domain] !== 0) return
    this.#isKnown[domain] = 1
    this.#size += 1
  }

  /** Counts one more pod in a known domain. */
  addPod(domain: number): void {
    this.#counts[domain] = (this.#counts[domain] ?? 0) + 1
  }

  /** Counts one pod more or less in a known domain, also after the minimum was read. */
  change(domain: number, delta: 1 | -1): void {
    const { minimum } = this
    const byCount = this.#domainsByCount
    const before = this.#counts[domain] ?? 0
    const after = before + delta
    this.#counts[domain] = after
    const remaining = (byCount?.get(before) ?? 1) - 1
    if (remaining === 0) byCount?.delete(before)
    else byCount?.set(before, remaining)
    byCount?.set(after, (byCount.get(after) ?? 0) + 1)
    if (after < minimum || (before === minimum && remaining === 0)) this.#minimum = after
  }

  #countDomains(): void {
    const byCount = new Map<number, number>()
    for (let domain = 0; domain < this.#counts.length; domain++) {
      if (this.#isKnown[domain] === 0) continue
      const count = this.#counts[domain] ?? 0
      byCount.set(count, (byCount.get(count) ?? 0) + 1)
      this.#minimum = Math.min(this.#minimum, count)
    }
    this.#domainsByCount = byCount
  }
}
