// SPDX-License-Identifier: Apache-2.0
// Typed arrays as base64 text, little endian, as calfvo writes them. All browsers run on little-endian machines.

type ArrayConstructor<T> = { new (buffer: ArrayBuffer): T; BYTES_PER_ELEMENT: number };

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Throws Error naming `name` if the bytes are not whole elements.
export function arrayOf<T>(type: ArrayConstructor<T>, text: unknown, name: string): T {
  if (typeof text !== "string") throw new Error(`${name}: expected base64 text`);
  const bytes = bytesOf(text);
  if (bytes.length % type.BYTES_PER_ELEMENT !== 0) throw new Error(`${name}: ${bytes.length} bytes are not whole elements`);
  return new type(bytes.buffer);
}
