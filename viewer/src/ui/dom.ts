// SPDX-License-Identifier: Apache-2.0
// Elements without HTML text: names from files can only become text nodes.

type Attributes = Record<string, string | boolean>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Sets the text if it differs: no layout where nothing changes.
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const node = element("button", { type: "button", title, "aria-label": title }, label);
  node.addEventListener("click", onClick);
  return node;
}
