// The script inside the panel.
export {};
