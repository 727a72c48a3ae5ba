/** Converts a resource name to a part of an environment variable name: `example.com/dongle` -> `EXAMPLE_COM_DONGLE`. */
export function envName(resourceName: string): string {
  return resourceName.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}
