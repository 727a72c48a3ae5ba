// Written by tools/generate.ts from the root package.json.
/** The version of Berth that this code belongs to. */
export const version = '0.1.0'
