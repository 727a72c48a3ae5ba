/** `example.com/dongle` -> `EXAMPLE_COM_DONGLE`: the part of environment variable names that tells resources apart. */
export function envName(resourceName: string): string {
  return resourceName.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}
