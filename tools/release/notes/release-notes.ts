/**
 * Returns the notes of a version: its section of the changelog, or what is unreleased.
 *
 * @returns Empty if the changelog has neither.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const titled = (title: string): string | undefined =>
    sections.find((section) => section.replaceAll(/[[\]]/g, '').startsWith(title))
  const section = titled(version) ?? titled('Unreleased')
  const text = section?.slice(section.indexOf('\n')).trim() ?? ''
  return text === '' ? '' : `# Berth ${version}\n\n${text}\n`
}
