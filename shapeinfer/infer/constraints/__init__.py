"""What sizes must satisfy: what the caller fixes, what nodes require, and what follows from both."""
