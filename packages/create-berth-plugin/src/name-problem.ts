/**
 * Checks the name of a new package.
 *
 * @returns Why the name cannot be used, or undefined for a usable name.
 */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
    return `"${name}" is not a kebab-case name: use lower-case letters, digits and single hyphens, for example quiet-hours`
  }
  return name.length > 50 ? `"${name}" is longer than 50 characters` : undefined
}
