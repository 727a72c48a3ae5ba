import assert from 'node:assert/strict'

/** The refusals of the planted targets: none of their parsers throws one on purpose. */
export class PlantedRefusal extends Error {
  readonly code = 'BERTH_FUZZ_PLANTED'
}

/** Makes the exports of a target from a planted parser of texts. */
export function plantedTarget(read: (text: string) => unknown): {
  readonly parse: (input: Uint8Array) => { readonly text: string; readonly value: unknown }
  readonly verify: (read: { readonly text: string; readonly value: unknown }) => void
} {
  return {
    parse: (input) => {
      const text = Buffer.from(input).toString()
      return { text, value: read(text) }
    },
    verify: ({ text, value }) => {
      if (typeof value === 'string') assert.equal(value, text)
    },
  }
}
