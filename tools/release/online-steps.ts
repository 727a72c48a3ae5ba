/** A step of a release that needs a network, an account or a person, so that the dry run leaves it out. */
export interface OnlineStep {
  readonly what: string
  /** The command, as docs/releasing.md has it. */
  readonly command: string
}

/** The steps after the dry run, in their order. */
export const onlineSteps: readonly OnlineStep[] = [
  { what: 'advisory audit', command: 'node tools/pnpm.mjs audit --prod' },
  { what: 'npm with provenance', command: 'npm publish --provenance' },
  { what: 'push of the images', command: 'skopeo copy --all' },
  { what: 'keyless signatures of the images', command: 'cosign sign' },
  { what: 'attestation of the bill of materials', command: 'cosign attest --type cyclonedx' },
  { what: 'chart signed with the release key', command: 'helm package --sign' },
  { what: 'push of the chart', command: 'helm push' },
  { what: 'upload of all files, and krew', command: '--download-url' },
]

/** Returns the lines that a dry run prints at its end. */
export function onlineStepsText(): string {
  const lines = onlineSteps.map(({ what, command }) => `  - ${what} (${command})`)
  return ['Not done, because they need a network, an account or a person (docs/releasing.md):', ...lines].join('\n')
}
